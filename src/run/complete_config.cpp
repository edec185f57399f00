#include "run/complete_config.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

using Notes = std::vector<std::string>;

// Who names hosts measures a cluster: the network that its users measure.
void choose_model(RunConfig& run, const GivenOptions& given, Notes& notes) {
  if (run.hosts.empty() || given.model || !run.program.empty()) return;
  run.model = "inception3";
  notes.emplace_back("with --hosts and no --model, inception3 is trained");
}

void round_warm_up(RunConfig& run, Notes& notes) {
  const int group = run.batch_group_size, before = run.num_warmup_batches;
  if (before % group == 0) return;
  run.num_warmup_batches = before + group - before % group;
  notes.push_back(
      fmt::format("--num-warmup-batches {}: rounded up to {} to match "
                  "--batch-group-size {}",
                  before, run.num_warmup_batches, group));
}

void choose_summaries(RunConfig& run, Notes& notes) {
  if (run.summary_verbosity > 1) {
    notes.push_back(fmt::format(
        "--summary-verbosity {}: as 1; loss, learning rate, speed and accuracy are written, no "
        "histograms",
        run.summary_verbosity));
    run.summary_verbosity = 1;
  }
  const bool there = !run.train_dir.empty() && run.save_summaries_steps > 0;
  if (run.summary_verbosity == 1 && run.summary_dir.empty()) {
    if (there) run.summary_dir = run.train_dir;
    if (!there) {
      notes.emplace_back(
          "--summary-verbosity: ignored without --summary-dir, or --train-dir and "
          "--save-summaries-steps");
      run.summary_verbosity = 0;
    }
  }
  if (run.eval_dir.empty()) return;
  if (run.eval && run.summary_dir.empty()) run.summary_dir = run.eval_dir;
  const bool as_there = run.eval_dir == "/tmp/tf_cnn_benchmarks/eval";  // its default there
  if (!run.eval && !as_there) notes.emplace_back("--eval-dir: ignored without --eval");
  run.eval_dir.clear();
}

void drop(RunConfig& run, auto RunConfig::*member, const std::string& note, Notes& notes) {
  static const RunConfig kDefaults;
  if (run.*member == kDefaults.*member) return;
  run.*member = kDefaults.*member;
  notes.push_back(note);
}

void choose_dtype(RunConfig& run, Notes& notes) {
  if (run.use_fp16) run.dtype = "fp16";
  run.use_fp16 = false;
  const auto unused = [&](auto RunConfig::*member, const char* option) {
    drop(run, member, fmt::format("--{} ignored: applies to --dtype fp16 only", option), notes);
  };
  if (run.dtype == "fp16") return;
  unused(&RunConfig::fp16_loss_scale, "fp16-loss-scale");
  unused(&RunConfig::fp16_enable_auto_loss_scale, "fp16-enable-auto-loss-scale");
  unused(&RunConfig::fp16_inc_loss_scale_every_n, "fp16-inc-loss-scale-every-n");
}

void drop_parameter_device(RunConfig& run, Notes& notes) {
  if (run.device != "cpu") return;
  drop(run, &RunConfig::local_parameter_device,
       "--local-parameter-device ignored: on a CPU there is only one place for parameters", notes);
}

void drop_image_options(RunConfig& run, Notes& notes) {
  if (!run.data_dir.empty()) return;
  const auto unused = [&](auto RunConfig::*member, const char* option) {
    drop(run, member, fmt::format("--{}: ignored without --data-dir; images are synthetic", option),
         notes);
  };
  unused(&RunConfig::input_preprocessor, "input-preprocessor");
  unused(&RunConfig::ml_perf, "ml-perf");
  unused(&RunConfig::repeat_sample, "repeat-sample");
}

}  // namespace

std::vector<std::string> complete_config(RunConfig& run, const GivenOptions& given) {
  Notes notes;
  choose_model(run, given, notes);
  choose_dtype(run, notes);
  drop_parameter_device(run, notes);
  round_warm_up(run, notes);
  choose_summaries(run, notes);
  if (!run.profile_file.empty()) run.profile = true;              // it has that table
  if (has_framework(run)) run.loss_type_to_report = "base_loss";  // all that a framework reports
  drop_image_options(run, notes);
  return notes;
}

void name_gpu_of_others(RunConfig& run) {
  const bool others = has_framework(run) || !run.program.empty();
  if (others && run.device == "gpu") run.device = "cuda";
}

}  // namespace lockstep
