#include "report/render/console.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "config/evaluation_times.h"

namespace lockstep {
namespace {

// A NaN has a sign bit, which says nothing; parsers expect "nan". Of a loss that has exploded, all
// digits in front of the point would say nothing either.
std::string loss_text(double loss) {
  if (std::isnan(loss)) return "nan";
  constexpr double kFewDigits = 1e6;
  return std::isfinite(loss) && std::fabs(loss) >= kFewDigits ? fmt::format("{:.3e}", loss)
                                                              : fmt::format("{:.3f}", loss);
}

std::string_view mode_of(const RunConfig& run) {
  if (run.eval) return "evaluation";
  if (run.forward_only) return "forward only";
  return evaluates_during_training(run) ? "training + evaluation" : "training";
}

std::string device_list(const RunConfig& run, const RunFacts& facts) {
  constexpr int kMostNamed = 8;
  std::vector<std::string> names;
  for (int device = 0; device < std::min(facts.devices, kMostNamed); ++device) {
    names.push_back(fmt::format("'/{}:{}'", run.device, device));
  }
  if (facts.devices > kMostNamed) names.emplace_back("...");
  return fmt::format("[{}]", fmt::join(names, ", "));
}

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
  line("Mode:", mode_of(run));
  line("SingleSess:", "False");
  line("Batch size:", fmt::format("{} global", facts.batch_size * facts.devices));
  line("", fmt::format("{} per device", facts.batch_size));
  line("Num batches:", facts.timed_steps);
  line("Num epochs:", fmt::format("{:.2f}", epochs));
  line("Devices:", device_list(run, facts));
  line("NUMA bind:", "False");
  line("Data format:", run.data_format);
  line("Optimizer:", run.optimizer);
  line("Variables:", run.variable_update);
  if (run.variable_update == "replicated") {
    line("AllReduce:", run.all_reduce_spec.empty() ? "None" : run.all_reduce_spec);
  }
  return text + "==========\n";
}

std::string column_titles(const RunConfig& run) {
  return fmt::format("Step\tImg/sec{}{}{}\n", run.forward_only ? "" : "\t",
                     run.forward_only ? "" : run.loss_type_to_report,
                     run.print_training_accuracy ? "\ttop_1_accuracy\ttop_5_accuracy" : "");
}

bool is_shown(const RunConfig& run, int step) { return step == 1 || step % run.display_every == 0; }

std::string step_line(const RunConfig& run, Samples times, const StepRecord& last) {
  const Speed speed = speed_of(times, last.images, run.display_perf_ewma.value_or(0.0));
  std::string line = fmt::format("{}\timages/sec: {:.1f} +/- {:.1f} (jitter = {:.1f})",
                                 times.size(), speed.mean, speed.uncertainty, speed.jitter);
  if (!run.forward_only) line += "\t" + loss_text(reported_loss(run, last.losses));
  if (run.print_training_accuracy) {
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

std::string evaluation_step_line(int64_t batch, double examples_per_second) {
  return fmt::format("{}\t{:.1f} examples/sec\n", batch, examples_per_second);
}

std::string accuracy_line(const Evaluation& evaluation) {
  return fmt::format("Accuracy @ 1 = {:.4f} Accuracy @ 5 = {:.4f} [{} examples]\n",
                     evaluation.top_1_accuracy, evaluation.top_5_accuracy, evaluation.examples);
}

std::string devices_line(const RunFacts& facts, double images_per_second) {
  if (facts.devices == 1) return "";
  const std::string per_node = facts.devices % facts.nodes == 0
                                   ? fmt::to_string(facts.devices / facts.nodes)
                                   : fmt::format("{:.1f}", double{1} * facts.devices / facts.nodes);
  return fmt::format(
      "Nodes: {}; Devices per node: {}; Images/sec: {:.2f} total, {:.2f} per device\n", facts.nodes,
      per_node, images_per_second, images_per_second / facts.devices);
}

double reported_loss(const RunConfig& run, const StepLosses& losses) {
  return run.loss_type_to_report == "base_loss" ? losses.base_loss : losses.total_loss;
}

}  // namespace lockstep
