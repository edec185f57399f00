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

// Of the options that say when to evaluate.
int given_times(const RunConfig& run) {
  return int{run.eval_during_training_every_n_steps.has_value()} +
         int{run.eval_during_training_every_n_epochs.has_value()} +
         int{!run.eval_during_training_at_specified_steps.empty()} +
         int{!run.eval_during_training_at_specified_epochs.empty()};
}

constexpr Rule kRules[] = {
    {[](const RunConfig& run) { return run.num_batches && run.num_epochs; },
     "--num-batches and --num-epochs both say how long to train; give one of them"},
    {[](const RunConfig& run) { return run.precision && !run.train_dir.empty(); },
     "--precision ends a measurement as soon as it is good; training of --train-dir goes on to its "
     "last step"},
    {[](const RunConfig& run) { return run.precision && run.eval; },
     "--precision is about the speed of training, and --eval does not train"},
    {[](const RunConfig& run) { return run.num_epochs && *run.num_epochs <= 0; },
     "--num-epochs must be above 0"},
    {[](const RunConfig& run) { return !run.trace_file.empty() && run.num_warmup_batches < 2; },
     "--trace-file records the last but one warm-up step: it needs --num-warmup-batches of at "
     "least 2"},
    {[](const RunConfig& run) { return !run.result.empty() && run.result == run.trace_file; },
     "--result and --trace-file name the same file"},
    {[](const RunConfig& run) {
       return !run.benchmark_test_id.empty() && run.benchmark_log_dir.empty();
     },
     "--benchmark-test-id is noted in --benchmark-log-dir, which is not given"},
    {[](const RunConfig& run) { return run.forward_only && run.gradient_clip.has_value(); },
     "--gradient-clip has no gradients to clip with --forward-only"},
    {[](const RunConfig& run) { return run.forward_only && run.aux_head; },
     "--aux-head only adds to the loss, which --forward-only does not compute"},
    {[](const RunConfig& run) { return run.data_dir.empty() && (run.cache || run.skip_corrupt); },
     "--cache and --skip-corrupt are about the data set of --data-dir, which is not given"},
    {[](const RunConfig& run) {
       return !run.data_dir.empty() && run.synthetic_location != "device";
     },
     "--synthetic-location is about made-up images; with --data-dir there are none"},
    {[](const RunConfig& run) {
       return run.program.empty() && (!run.program_dir.empty() || run.program_timeout);
     },
     "--program-dir and --program-timeout are about the --program, which is not given"},
    {[](const RunConfig& run) { return !run.program.empty() && run.num_epochs.has_value(); },
     "--num-epochs: a --program is told its --num-batches"},
    {[](const RunConfig& run) { return run.job_name.empty() && run.task_index != 0; },
     "--task-index needs --job-name: which of the processes is this one?"},
    {[](const RunConfig& run) { return run.worker_hosts.empty() && !run.ps_hosts.empty(); },
     "--ps-hosts needs --worker-hosts, the workers that they serve"},
    {[](const RunConfig& run) { return !run.hosts.empty() && !run.job_name.empty(); },
     "--hosts starts the processes, --job-name says that they are started by hand; give one"},
    {[](const RunConfig& run) {
       return !run.worker_hosts.empty() && (!run.hosts.empty() || run.nodes || run.num_workers ||
                                            run.ps_per_node || run.num_devices > 1);
     },
     "--worker-hosts names the host of every worker; --hosts, --nodes, --num-devices, "
     "--num-workers "
     "and --ps-per-node have no place beside it"},
    {[](const RunConfig& run) {
       const bool starts =
           !run.hosts.empty() || !run.worker_hosts.empty() || run.launcher != "auto";
       return !run.program.empty() && starts;
     },
     "--program starts its own processes; --launcher, --hosts and --worker-hosts are for workers"},
    {[](const RunConfig& run) { return run.ps_in_worker && run.ps_per_node.has_value(); },
     "--ps-per-node gives servers hosts of their own, --ps-in-worker makes them part of workers"},
    {[](const RunConfig& run) {
       const bool listed = !run.job_name.empty() || !run.ps_hosts.empty();
       return listed && (run.num_ps.has_value() || run.ps_in_worker);
     },
     "--num-ps and --ps-in-worker: --ps-hosts says which servers there are"},
    {[](const RunConfig& run) { return run.forward_only && run.efficiency; },
     "--efficiency compares training steps, and --forward-only has none"},
    {[](const RunConfig& run) {
       return run.train_dir.empty() &&
              (run.save_model_steps || run.save_model_secs > 0 || run.max_ckpts_to_keep != 5);
     },
     "--save-model-steps, --save-model-secs and --max-ckpts-to-keep are about the checkpoints of "
     "--train-dir, which is not given"},
    {[](const RunConfig& run) { return run.save_model_steps && run.save_model_secs > 0; },
     "--save-model-steps and --save-model-secs both say when checkpoints are made; give one of "
     "them"},
    {[](const RunConfig& run) { return run.forward_only && !run.train_dir.empty(); },
     "--train-dir keeps what training changes, and --forward-only changes nothing"},
    {[](const RunConfig& run) { return run.eval && run.train_dir.empty(); },
     "--eval measures a checkpoint of --train-dir, which is not given"},
    {[](const RunConfig& run) { return run.eval && run.forward_only; },
     "--eval and --forward-only are two things to do without training; give one of them"},
    {[](const RunConfig& run) {
       return evaluates_during_training(run) && (run.eval || run.forward_only);
     },
     "--eval-during-training needs training, which --eval and --forward-only do not do"},
    {[](const RunConfig& run) { return given_times(run) > 1; },
     "--eval-during-training-every-n-steps, -every-n-epochs, -at-specified-steps and "
     "-at-specified-epochs all say when to evaluate; give one of them"},
    {[](const RunConfig& run) { return run.eval_interval_secs > 0 && !run.eval; },
     "--eval-interval-secs says how often --eval looks for a checkpoint, which is not given"},
    {[](const RunConfig& run) {
       return run.eval_during_training_every_n_epochs &&
              *run.eval_during_training_every_n_epochs <= 0;
     },
     "--eval-during-training-every-n-epochs must be above 0"},
    {[](const RunConfig& run) {
       return run.stop_at_top_1_accuracy && !evaluates_during_training(run);
     },
     "--stop-at-top-1-accuracy needs an evaluation during training, such as "
     "--eval-during-training-every-n-steps"},
    {[](const RunConfig& run) {
       return !run.eval && !evaluates_during_training(run) &&
              (run.eval_batch_size > 0 || run.num_eval_batches);
     },
     "--eval-batch-size and --num-eval-batches are about evaluation; give --eval or "
     "--eval-during-training-every-n-steps"},
    {[](const RunConfig& run) { return run.summary_dir.empty() && run.save_summaries_steps > 0; },
     "--save-summaries-steps is about --summary-dir, which is not given"},
    {[](const RunConfig& run) {
       return !run.program.empty() && (!run.train_dir.empty() || !run.summary_dir.empty());
     },
     "--train-dir and --summary-dir: a --program keeps what it wants itself"},
    {[](const RunConfig& run) { return run.gradient_repacking > 0 && run.bucket_mb; },
     "--gradient-repacking makes packs of all gradients, so there are no buckets for --bucket-mb"},
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
