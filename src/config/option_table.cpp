// option_table.cpp: the rows. A new option is a member of RunConfig and a row here. Names that are
// rows of another table (strategies, launchers, ...) are not repeated here: app/family_options.cpp
// adds them.
#include "config/run_options.h"

namespace lockstep {
namespace {

using R = RunConfig;
constexpr Range kFromZero = {.least = 0};
constexpr Range kFromOne = {.least = 1};
constexpr Range kSteps = {.least = 1, .most = 10e6};  // each leaves a record in memory
constexpr Range kFraction = {.least = 0, .most = 1};

constexpr const char* kWhat = "What to run";
constexpr const char* kData = "Data";
constexpr const char* kLength = "How long";
constexpr const char* kUpdate = "Optimizer";
constexpr const char* kRate = "Learning rate";
constexpr const char* kKept = "Checkpoints and evaluation";
constexpr const char* kWhere = "Where";
constexpr const char* kTogether = "How devices work together";
constexpr const char* kConnected = "What connects them";
constexpr const char* kHosts = "On which hosts";
constexpr const char* kProgram = "Somebody else's program";
constexpr const char* kTold = "What is reported";

// Rows, not columns: the formatter would spread each over five lines.
// clang-format off
std::vector<RunOption> make_table() {
  return {
    {"model", &R::model, kWhat, "network to train; 'lockstep models' lists them",
     {.letter = 'm', .value_name = "NAME"}},
    {"batch-size", &R::batch_size, kWhat, "images per device and step; 0: the network's own",
     {.range = kFromZero, .letter = 'b'}},
    {"num-classes", &R::num_classes, kWhat, "classes to tell apart; by default the data set's",
     {.range = {.least = 2}}},
    {"aux-head", &R::aux_head, kWhat, "give inception3 its auxiliary classifier"},
    {"forward-only", &R::forward_only, kWhat, "measure inference: no loss, no backward pass"},
    {"seed", &R::seed, kWhat, "of initial values, labels and dropout",
     {.range = kFromZero, .aliases = {"tf-random-seed"}}},

    {"data-dir", &R::data_dir, kData, "where the data set is; by default images are made up",
     {.value_name = "DIR"}},
    {"data-name", &R::data_name, kData,
     "data set to imitate; by default what --data-dir holds, or the network's own",
     {.value_name = "NAME"}},
    {"distortions", &R::distortions, kData,
     "change colours at random; of small images, place and side"},
    {"resize-method", &R::resize_method, kData, "how windows of images become the network's size",
     {.choices = {"bilinear", "nearest", "bicubic", "area", "round_robin"}}},
    {"data-threads", &R::data_threads, kData,
     "to decode with; 0: cores left, at least 1",
     {.range = {.least = 0, .most = 4096}, .aliases = {"datasets-num-private-threads"}}},
    {"prefetch", &R::prefetch, kData, "batches that are made ahead",
     {.range = {.least = 1, .most = 1000}, .aliases = {"datasets-prefetch-buffer-size"}}},
    {"cache", &R::cache, kData, "keep the data set in memory, as it is stored",
     {.aliases = {"datasets-use-caching"}}},
    {"skip-corrupt", &R::skip_corrupt, kData, "count damaged examples and go on, instead of stopping"},
    {"synthetic-location", &R::synthetic_location, kData,
     "made-up images stay, are copied or made anew each step",
     {.choices = {"device", "host", "pipeline"}}},

    {"num-batches", &R::num_batches, kLength, "timed steps; 100 by default",
     {.range = kSteps}},
    {"num-epochs", &R::num_epochs, kLength, "timed steps, as passes over the data set",
     {.range = kFromZero}},
    {"num-warmup-batches", &R::num_warmup_batches, kLength,
     "steps before the timed ones; they train too", {.range = {.least = 0, .most = 10e6}}},
    {"precision", &R::precision, kLength,
     "end before all timed steps once images/sec of this run is known this well",
     {.range = {.least = 1e-6, .most = 1}, .is_part = true, .value_name = "X%"}},

    {"optimizer", &R::optimizer, kUpdate, "how gradients change values (momentum: Nesterov's)"},
    {"momentum", &R::momentum, kUpdate, "of the momentum optimizer"},
    {"rmsprop-decay", &R::rmsprop_decay, kUpdate, "of rmsprop's mean square"},
    {"rmsprop-momentum", &R::rmsprop_momentum, kUpdate, "of rmsprop"},
    {"rmsprop-epsilon", &R::rmsprop_epsilon, kUpdate, "added to rmsprop's mean square"},
    {"adam-beta1", &R::adam_beta1, kUpdate, "decay of adam's mean"},
    {"adam-beta2", &R::adam_beta2, kUpdate, "decay of adam's mean square"},
    {"adam-epsilon", &R::adam_epsilon, kUpdate, "added to adam's root mean square"},
    {"weight-decay", &R::weight_decay, kUpdate, "weight of the L2 loss, half the sum of squares"},
    {"gradient-clip", &R::gradient_clip, kUpdate, "bound of every gradient element"},

    {"init-learning-rate", &R::init_learning_rate, kRate,
     "instead of the network's own schedule", {.range = kFromZero}},
    {"num-epochs-per-decay", &R::num_epochs_per_decay, kRate,
     "epochs between decays of --init-learning-rate", {.range = kFromZero}},
    {"learning-rate-decay-factor", &R::learning_rate_decay_factor, kRate, "of each decay",
     {.range = kFromZero}},
    {"minimum-learning-rate", &R::minimum_learning_rate, kRate, "where decay ends"},
    {"num-learning-rate-warmup-epochs", &R::num_learning_rate_warmup_epochs, kRate,
     "epochs in which the rate grows from 0"},
    {"piecewise-learning-rate-schedule", &R::piecewise_learning_rate_schedule, kRate,
     "rates and the epochs where they change, as '0.3;10;0.2;25;0.1'",
     {.value_name = "R;E;R..."}},
    {"resnet-base-lr", &R::resnet_base_lr, kRate,
     "rate at batch 256 of the ResNet schedule; 0.128 by default", {.range = kFromZero}},

    {"train-dir", &R::train_dir, kKept,
     "keep checkpoints there; a run goes on from the newest", {.value_name = "DIR"}},
    {"save-model-steps", &R::save_model_steps, kKept,
     "steps between checkpoints; one is always made at the end", {.range = kFromOne}},
    {"save-model-secs", &R::save_model_secs, kKept, "seconds between checkpoints; 0: not by time",
     {.range = kFromZero}},
    {"max-ckpts-to-keep", &R::max_ckpts_to_keep, kKept, "the newest so many; 0: all",
     {.range = kFromZero}},
    {"eval", &R::eval, kKept, "measure the accuracy of the newest checkpoint instead of training"},
    {"eval-interval-secs", &R::eval_interval_secs, kKept,
     "with --eval: look for a newer checkpoint so often, until Ctrl-C; 0: once",
     {.range = kFromZero}},
    {"eval-batch-size", &R::eval_batch_size, kKept,
     "images per device and step of evaluation; 0: as in training", {.range = kFromZero}},
    {"num-eval-batches", &R::num_eval_batches, kKept,
     "steps of an evaluation; by default every validation example once", {.range = kSteps}},
    {"eval-during-training-every-n-steps", &R::eval_during_training_every_n_steps, kKept,
     "evaluate every so many steps, and at the end", {.range = kFromOne}},
    {"eval-during-training-every-n-epochs", &R::eval_during_training_every_n_epochs, kKept,
     "the same in passes over the data set", {.range = kFromZero}},
    {"eval-during-training-at-specified-steps", &R::eval_during_training_at_specified_steps, kKept,
     "evaluate after these steps, and at the end", {.value_name = "N,N,..."}},
    {"eval-during-training-at-specified-epochs", &R::eval_during_training_at_specified_epochs,
     kKept, "the same in passes over the data set", {.value_name = "X,X,..."}},
    {"stop-at-top-1-accuracy", &R::stop_at_top_1_accuracy, kKept,
     "end once an evaluation during training reaches it", {.range = kFraction}},

    {"device", &R::device, kWhere, "what to train on; cuda with --engine torch",
     {.choices = {"cpu", "cuda", "cuda:N"},
      .choices_note = "the engine native computes on cpu, --engine torch on all of them"}},
    {"num-devices", &R::num_devices, kWhere, "devices of this machine, or of each host",
     {.range = kFromOne, .letter = 'g', .aliases = {"num-gpus", "workers-per-node"}}},
    {"threads", &R::threads, kWhere, "per device; 0: every core the device may use",
     {.range = {.least = 0, .most = 4096}, .aliases = {"num-intra-threads"}}},
    {"data-format", &R::data_format, kWhere, "order in which images arrive",
     {.choices = {"NCHW", "NHWC"}}},
    {"conv-algo", &R::conv_algo, kWhere, "how convolutions are computed; auto: measured",
     {.choices = {"auto", "direct", "winograd"}}},
    {"engine", &R::engine, kWhere, "what runs the network", {.value_name = "NAME"}},

    {"variable-update", &R::variable_update, kTogether, "how devices agree on values",
     {.value_name = "NAME"}},
    {"gradient-op", &R::gradient_op, kTogether, "what is made of the gradients of all devices",
     {.choices = {"mean", "sum"}}},
    {"bucket-mb", &R::bucket_mb, kTogether,
     "gradients that are communicated together, in MiB; by default chosen by the strategy",
     {.range = {.least = 0, .most = 65536}}},
    {"overlap", &R::overlap, kTogether,
     "communicate while backward still computes; --no-overlap waits for its end"},
    {"gradient-repacking", &R::gradient_repacking, kTogether,
     "all gradients in so many equal packs, after backward; 0: buckets", {.range = kFromZero}},
    {"agg-small-grads-max-bytes", &R::agg_small_grads_max_bytes, kTogether,
     "gradients up to this size travel together; 0: none", {.range = kFromZero}},
    {"agg-small-grads-max-group", &R::agg_small_grads_max_group, kTogether,
     "at most so many of them at once", {.range = kFromOne}},
    {"variable-consistency", &R::variable_consistency, kTogether,
     "relaxed: apply the gradients of the step before",
     {.choices = {"strong", "relaxed"}}},
    {"cross-replica-sync", &R::cross_replica_sync, kTogether,
     "parameter servers wait for all workers; --no-cross-replica-sync: for none"},
    {"staged-vars", &R::staged_vars, kTogether,
     "parameter_server: read values that are one step old"},
    {"num-ps", &R::num_ps, kTogether,
     "parameter servers; 1 by default where the strategy needs them", {.range = kFromZero}},
    {"ps-placement", &R::ps_placement, kTogether,
     "sharded: large variables are spread over all servers",
     {.choices = {"whole", "sharded"}}},
    {"ps-in-worker", &R::ps_in_worker, kTogether,
     "parameter servers are threads of the first workers, not processes"},
    {"efficiency", &R::efficiency, kTogether,
     "measure the same devices without communication too, before and after"},

    {"communicator", &R::communicator, kConnected,
     "what carries gradients; by default what suits where the workers are",
     {.value_name = "NAME"}},
    {"interface", &R::interface, kConnected,
     "network interface; by default the one that leads to the first worker",
     {.value_name = "NAME"}},
    {"all-reduce-spec", &R::all_reduce_spec, kConnected,
     "algorithms by size, as 'pscpu:32k:xring'; 'lockstep allreduce --tune' finds one",
     {.value_name = "SPEC"}},
    {"gradient-compression", &R::gradient_compression, kConnected,
     "gradients on the wire", {.choices = {"none", "fp16", "bf16"}}},
    {"stall-timeout", &R::stall_timeout, kConnected,
     "seconds without any progress after which a run fails",
     {.range = {.least = 1}, .only_starts = true}},
    {"job-name", &R::job_name, kConnected,
     "what this process is, when every process is started by hand",
     {.choices = {"worker", "ps"}, .may_be_empty = true, .only_starts = true}},
    {"task-index", &R::task_index, kConnected, "which of them",
     {.range = kFromZero, .only_starts = true}},
    {"worker-hosts", &R::worker_hosts, kConnected,
     "all workers, who meet at the first; without --job-name, ssh starts them",
     {.value_name = "HOST:PORT,..."}},
    {"ps-hosts", &R::ps_hosts, kConnected, "all parameter servers",
     {.value_name = "HOST:PORT,..."}},

    {"launcher", &R::launcher, kHosts,
     "who starts processes; auto: ssh with --hosts, slurm in an allocation, else local",
     {.launches = true}},
    {"hosts", &R::hosts, kHosts,
     "start workers there: a nodes file, an Open MPI hostfile, or a list as a:4,b:4",
     {.value_name = "FILE|LIST", .launches = true}},
    {"nodes", &R::nodes, kHosts, "so many hosts for workers, the first ones; those of --ps-per-node come before them",
     {.range = kFromOne, .letter = 'n', .launches = true}},
    {"num-workers", &R::num_workers, kHosts,
     "in all; by default --num-devices on each host, or its slots",
     {.range = kFromOne, .launches = true}},
    {"ps-per-node", &R::ps_per_node, kHosts,
     "so many parameter servers on each of the first hosts, which then have no workers",
     {.range = kFromOne, .launches = true}},
    {"remote-dir", &R::remote_dir, kHosts,
     "ssh: where this program is copied to, seen from the home directory there",
     {.letter = 'r', .value_name = "DIR", .only_starts = true, .launches = true}},
    {"ssh-option", &R::ssh_option, kHosts, "as of ssh -o; may be given several times",
     {.value_name = "KEY=VALUE", .only_starts = true, .launches = true}},
    {"mpirun-option", &R::mpirun_option, kHosts,
     "one more word for mpirun; may be given several times",
     {.value_name = "WORD", .launches = true}},
    {"sbatch-option", &R::sbatch_option, kHosts,
     "as on a line #SBATCH, such as --time=10; may be given several times",
     {.value_name = "OPTION", .launches = true}},
    {"dry-run", &R::dry_run, kHosts,
     "only show which process would run where, with which command",
     {.only_starts = true, .launches = true}},

    {"program", &R::program, kProgram,
     "measure this one instead of training: a name of docs/programs.md, or a TOML file",
     {.value_name = "NAME|FILE"}},
    {"program-dir", &R::program_dir, kProgram, "directory to run it in", {.value_name = "DIR"}},
    {"program-timeout", &R::program_timeout, kProgram,
     "end it after so many seconds; by default as its definition says",
     {.range = {.least = 0.001}, .only_starts = true}},

    {"display-every", &R::display_every, kTold, "steps between lines", {.range = kFromOne, .only_tells = true}},
    {"display-perf-ewma", &R::display_perf_ewma, kTold,
     "weight of the newest step in the mean of step lines; 0: all alike", {.range = kFraction, .only_tells = true}},
    {"loss-type-to-report", &R::loss_type_to_report, kTold, "with or without the L2 loss",
     {.choices = {"total_loss", "base_loss"}, .only_tells = true}},
    {"print-training-accuracy", &R::print_training_accuracy, kTold,
     "top-1 and top-5 of every shown step"},
    {"result", &R::result, kTold, "write everything measured as JSON", {.value_name = "FILE", .only_tells = true}},
    {"log-dir", &R::log_dir, kTold, "where logs of all processes go; by default lockstep-runs/TIME-MODEL",
     {.value_name = "DIR", .only_tells = true}},
    {"profile", &R::profile, kTold, "per-layer table of times, GFLOP/s and kernels"},
    {"trace-file", &R::trace_file, kTold,
     "write the last but one warm-up step as a Chrome trace", {.value_name = "FILE", .only_tells = true}},
    {"benchmark-log-dir", &R::benchmark_log_dir, kTold,
     "write metric.log and benchmark_run.log there", {.value_name = "DIR", .only_tells = true}},
    {"benchmark-test-id", &R::benchmark_test_id, kTold, "noted in benchmark_run.log",
     {.value_name = "ID", .only_tells = true}},
    {"summary-dir", &R::summary_dir, kTold,
     "write loss, learning rate, speed and accuracy for TensorBoard",
     {.value_name = "DIR", .only_tells = true}},
    {"save-summaries-steps", &R::save_summaries_steps, kTold,
     "steps between them; 0: as steps are shown", {.range = kFromZero, .only_tells = true}},
    {"verbose", &R::verbose, kTold, "say more on stderr", {.letter = 'v', .only_tells = true}},
  };
}
// clang-format on

}  // namespace

std::span<const RunOption> run_options() {
  static const std::vector<RunOption> table = make_table();
  return table;
}

}  // namespace lockstep
