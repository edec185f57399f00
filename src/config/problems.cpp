#include "config/problems.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "config/evaluation_times.h"

namespace lockstep {
namespace {

struct Rule {
  bool (*broken)(const RunConfig&);
  std::string_view line;
};

// How many of the options are given that set when to evaluate.
int given_times(const RunConfig& run) {
  return int{run.eval_during_training_every_n_steps.has_value()} +
         int{run.eval_during_training_every_n_epochs.has_value()} +
         int{!run.eval_during_training_at_specified_steps.empty()} +
         int{!run.eval_during_training_at_specified_epochs.empty()};
}

bool names_a_file_twice(const RunConfig& run) {
  std::vector<std::string> files = {run.result, run.trace_file, run.profile_file, run.graph_file};
  std::erase(files, "");
  std::ranges::sort(files);
  return std::ranges::adjacent_find(files) != files.end();
}

constexpr Rule kRules[] = {
    {[](const RunConfig& run) { return run.num_batches && run.num_epochs; },
     "--num-batches and --num-epochs both set the number of steps; give one of them"},
    {[](const RunConfig& run) { return run.precision && !run.train_dir.empty(); },
     "--precision with --train-dir: a run with checkpoints trains to its last step; leave out one "
     "of them"},
    {[](const RunConfig& run) { return run.precision && run.eval; },
     "--precision with --eval: an evaluation has no timed steps; leave out one of them"},
    {[](const RunConfig& run) { return run.num_epochs && *run.num_epochs <= 0; },
     "--num-epochs must be above 0"},
    {[](const RunConfig& run) { return !run.trace_file.empty() && run.num_warmup_batches < 2; },
     "--trace-file records the last but one warm-up step; use --num-warmup-batches of at least 2"},
    {names_a_file_twice,
     "--result, --trace-file, --profile-file and --graph-file: two of them name the same file; use "
     "different files"},
    {[](const RunConfig& run) {
       return !run.benchmark_test_id.empty() && run.benchmark_log_dir.empty();
     },
     "--benchmark-test-id requires --benchmark-log-dir"},
    {[](const RunConfig& run) { return run.forward_only && run.gradient_clip.has_value(); },
     "--gradient-clip with --forward-only: there are no gradients; leave out one of them"},
    {[](const RunConfig& run) {
       return run.freeze_when_forward_only && !(run.train_dir.empty() && run.job_name.empty());
     },
     "--freeze-when-forward-only excludes --train-dir and --job-name; leave it out"},
    {[](const RunConfig& run) { return !run.gpu_indices.empty() && run.device == "cpu"; },
     "--gpu-indices requires --device cuda; on a CPU every device has cores of its own"},
    {[](const RunConfig& run) { return run.graph && run.device == "cpu"; },
     "--graph requires a GPU (--device); leave it out"},
    {[](const RunConfig& run) { return run.graph && (run.forward_only || run.eval); },
     "--graph captures training steps; leave out --graph, or --forward-only and --eval"},
    {[](const RunConfig& run) { return run.dtype == "fp16" && run.device == "cpu"; },
     "--dtype fp16 requires a GPU (--device); on a CPU use f32, or bf16 with --engine torch"},
    {[](const RunConfig& run) {
       const bool perhaps = run.device == "gpu" || run.device.starts_with("cuda");
       return run.dtype == "tf32" && !perhaps;
     },
     "--dtype tf32 requires --device cuda: only GPUs of NVIDIA have it; use f32"},
    {[](const RunConfig& run) { return run.input_preprocessor != "default" && run.distortions; },
     "--distortions: --input-preprocessor official_models_imagenet changes no colours; leave out "
     "one of them"},
    {[](const RunConfig& run) {
       return run.input_preprocessor != "default" && run.resize_method != "bilinear";
     },
     "--resize-method: --input-preprocessor official_models_imagenet always uses bilinear; leave "
     "out one of them"},
    {[](const RunConfig& run) { return run.forward_only && run.aux_head; },
     "--aux-head with --forward-only: it only adds to the loss, which is not computed; leave out "
     "one of them"},
    {[](const RunConfig& run) { return run.data_dir.empty() && (run.cache || run.skip_corrupt); },
     "--cache and --skip-corrupt require --data-dir"},
    {[](const RunConfig& run) {
       return !run.data_dir.empty() && run.synthetic_location != "device";
     },
     "--synthetic-location with --data-dir: there are no synthetic images; leave out one of them"},
    {[](const RunConfig& run) {
       return run.program.empty() && (!run.program_dir.empty() || run.program_timeout);
     },
     "--program-dir and --program-timeout require --program"},
    {[](const RunConfig& run) { return !run.program.empty() && run.num_epochs.has_value(); },
     "--num-epochs is not supported with --program; use --num-batches"},
    {[](const RunConfig& run) { return run.job_name.empty() && run.task_index != 0; },
     "--task-index requires --job-name"},
    {[](const RunConfig& run) { return run.worker_hosts.empty() && !run.ps_hosts.empty(); },
     "--ps-hosts requires --worker-hosts"},
    {[](const RunConfig& run) { return !run.hosts.empty() && !run.job_name.empty(); },
     "--hosts starts the processes, with --job-name they are started by hand; give one of them"},
    {[](const RunConfig& run) {
       return !run.worker_hosts.empty() && (!run.hosts.empty() || run.nodes || run.num_workers ||
                                            run.ps_per_node || run.num_devices > 1);
     },
     "--worker-hosts lists every worker: for several devices of a host, list it once for each, "
     "with a "
     "port of its own; --num-devices (or --num-gpus), --hosts, --nodes, --num-workers and "
     "--ps-per-node are not supported with it"},
    {[](const RunConfig& run) {
       const bool starts =
           !run.hosts.empty() || !run.worker_hosts.empty() || run.launcher != "auto";
       return !run.program.empty() && starts;
     },
     "--program starts its own processes; --launcher, --hosts and --worker-hosts are not supported "
     "with it"},
    {[](const RunConfig& run) { return run.remote_dir.empty() || run.remote_dir.starts_with('-'); },
     "--remote-dir must be the path of a directory, and not begin with '-'"},
    {[](const RunConfig& run) { return run.ps_in_worker && run.ps_per_node.has_value(); },
     "--ps-per-node puts parameter servers on hosts of their own, --ps-in-worker into workers; "
     "give "
     "one of them"},
    {[](const RunConfig& run) {
       const bool listed = !run.job_name.empty() || !run.ps_hosts.empty();
       return listed && (run.num_ps.has_value() || run.ps_in_worker);
     },
     "--num-ps and --ps-in-worker: --ps-hosts lists the parameter servers; leave them out"},
    {[](const RunConfig& run) { return run.forward_only && run.efficiency; },
     "--efficiency with --forward-only: there are no training steps to compare; leave out one of "
     "them"},
    {[](const RunConfig& run) {
       return run.train_dir.empty() &&
              (run.save_model_steps || run.save_model_secs > 0 || run.max_ckpts_to_keep != 5);
     },
     "--save-model-steps, --save-model-secs and --max-ckpts-to-keep require --train-dir"},
    {[](const RunConfig& run) { return run.save_model_steps && run.save_model_secs > 0; },
     "--save-model-steps and --save-model-secs both set the checkpoint schedule; give one of them"},
    {[](const RunConfig& run) { return run.forward_only && !run.train_dir.empty(); },
     "--train-dir with --forward-only: there is no training to save; leave out one of them"},
    {[](const RunConfig& run) { return run.eval && run.train_dir.empty(); },
     "--eval requires --train-dir, the directory of the checkpoint"},
    {[](const RunConfig& run) { return run.eval && run.forward_only; },
     "--eval and --forward-only exclude each other; give one of them"},
    {[](const RunConfig& run) {
       return evaluates_during_training(run) && (run.eval || run.forward_only);
     },
     "--eval-during-training requires training; leave out --eval and --forward-only"},
    {[](const RunConfig& run) { return given_times(run) > 1; },
     "--eval-during-training-every-n-steps, -every-n-epochs, -at-specified-steps and "
     "-at-specified-epochs all set when to evaluate; give one of them"},
    {[](const RunConfig& run) { return run.eval_interval_secs > 0 && !run.eval; },
     "--eval-interval-secs requires --eval"},
    {[](const RunConfig& run) {
       return run.eval_during_training_every_n_epochs &&
              *run.eval_during_training_every_n_epochs <= 0;
     },
     "--eval-during-training-every-n-epochs must be above 0"},
    {[](const RunConfig& run) {
       return run.stop_at_top_1_accuracy && !evaluates_during_training(run);
     },
     "--stop-at-top-1-accuracy requires an evaluation during training, such as "
     "--eval-during-training-every-n-steps"},
    {[](const RunConfig& run) {
       return !run.eval && !evaluates_during_training(run) &&
              (run.eval_batch_size > 0 || run.num_eval_batches || run.num_eval_epochs);
     },
     "--eval-batch-size, --num-eval-batches and --num-eval-epochs require --eval or an evaluation "
     "during training, such as --eval-during-training-every-n-steps"},
    {[](const RunConfig& run) { return run.num_eval_batches && run.num_eval_epochs; },
     "--num-eval-batches and --num-eval-epochs both set the length of an evaluation; give one of "
     "them"},
    {[](const RunConfig& run) { return run.num_eval_epochs && *run.num_eval_epochs <= 0; },
     "--num-eval-epochs must be above 0"},
    {[](const RunConfig& run) { return run.summary_dir.empty() && run.save_summaries_steps > 0; },
     "--save-summaries-steps requires --summary-dir, or --train-dir with --summary-verbosity 1"},
    {[](const RunConfig& run) {
       return !run.program.empty() && (!run.train_dir.empty() || !run.summary_dir.empty());
     },
     "--train-dir and --summary-dir are not supported with --program, which writes its own files"},
    {[](const RunConfig& run) { return run.gradient_repacking > 0 && run.bucket_mb; },
     "--gradient-repacking replaces buckets; leave out --bucket-mb"},
};

}  // namespace

std::vector<std::string> problems_in(const RunConfig& run) {
  std::vector<std::string> problems;
  for (const Rule& rule : kRules) {
    if (rule.broken(run)) problems.emplace_back(rule.line);
  }
  std::ranges::move(evaluation_problems(run), std::back_inserter(problems));
  return problems;
}

}  // namespace lockstep
