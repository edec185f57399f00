#include "report/console.h"

#include <fmt/format.h>

#include <cmath>

#include "measure/statistics.h"

namespace lockstep {
namespace {

bool shows_accuracy(const RunConfig& run) {
  return run.print_training_accuracy || run.forward_only;
}

// A NaN has a sign bit, which says nothing; parsers expect "nan".
double without_sign_of_nan(double value) { return std::isnan(value) ? std::fabs(value) : value; }

}  // namespace

std::string header_text(const std::string& version, const RunConfig& run, const RunFacts& facts,
                        double epochs) {
  std::string text;
  const auto line = [&](std::string_view key, const auto& value) {
    text += fmt::format("{:<13}{}\n", key, value);
  };
  line("lockstep:", version);
  line("Model:", facts.model);
  line("Dataset:", facts.dataset + (run.data_dir.empty() ? " (synthetic)" : ""));
  line("Mode:", run.forward_only ? "forward only" : "training");
  line("SingleSess:", "False");
  line("Batch size:", fmt::format("{} global", facts.batch_size * run.num_devices));
  line("", fmt::format("{} per device", facts.batch_size));
  line("Num batches:", facts.timed_steps);
  line("Num epochs:", fmt::format("{:.2f}", epochs));
  line("Devices:", fmt::format("['/{}:0']", run.device));
  line("NUMA bind:", "False");
  line("Data format:", run.data_format);
  line("Optimizer:", run.optimizer);
  line("Variables:", run.variable_update);
  if (run.variable_update == "replicated") line("AllReduce:", "None");
  return text + "==========\n";
}

std::string column_titles(const RunConfig& run) {
  return fmt::format("Step\tImg/sec\t{}{}\n", run.loss_type_to_report,
                     shows_accuracy(run) ? "\ttop_1_accuracy\ttop_5_accuracy" : "");
}

bool is_shown(const RunConfig& run, int step) { return step == 1 || step % run.display_every == 0; }

std::string step_line(const RunConfig& run, std::span<const StepRecord> steps) {
  const StepRecord& last = steps.back();
  const Speed speed = speed_of(durations(steps), last.images, run.display_perf_ewma.value_or(0.0));
  std::string line = fmt::format("{}\timages/sec: {:.1f} +/- {:.1f} (jitter = {:.1f})\t{:.3f}",
                                 steps.size(), speed.mean, speed.uncertainty, speed.jitter,
                                 without_sign_of_nan(reported_loss(run, last.losses)));
  if (shows_accuracy(run)) {
    const double images = last.images;
    line += fmt::format("\t{:.3f}\t{:.3f}", last.losses.top_1_hits / images,
                        last.losses.top_5_hits / images);
  }
  return line + "\n";
}

std::string total_block(double images_per_second) {
  const std::string dashes(64, '-');
  return fmt::format("{}\ntotal images/sec: {:.2f}\n{}\n", dashes, images_per_second, dashes);
}

double reported_loss(const RunConfig& run, const StepLosses& losses) {
  return run.loss_type_to_report == "base_loss" ? losses.base_loss : losses.total_loss;
}

}  // namespace lockstep
