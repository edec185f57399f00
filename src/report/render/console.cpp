#include "report/render/console.h"

#include <fmt/chrono.h>

#include <cmath>

namespace lockstep {
namespace {

// A NaN has a sign bit, which says nothing; parsers expect "nan". Of a loss that has exploded, all
// digits in front of the point would say nothing either.
std::string loss_text(double loss, int decimals) {
  if (std::isnan(loss)) return "nan";
  constexpr double kFewDigits = 1e6;
  return std::isfinite(loss) && std::fabs(loss) >= kFewDigits
             ? fmt::format("{:.3e}", loss)
             : fmt::format("{:.{}f}", loss, decimals);
}

// Inference has no loss, but how often the network is right.
bool shows_accuracy(const RunConfig& run) {
  return run.print_training_accuracy || run.forward_only;
}

}  // namespace

std::string column_titles(const RunConfig& run) {
  return fmt::format("Step\tImg/sec\t{}{}\n", run.loss_type_to_report,
                     shows_accuracy(run) ? "\ttop_1_accuracy\ttop_5_accuracy" : "");
}

bool is_shown(const RunConfig& run, int step) { return step == 1 || step % run.display_every == 0; }

std::string step_line(const RunConfig& run, Samples times, const StepRecord& last) {
  const Speed speed = speed_of(times, last.images, run.display_perf_ewma.value_or(0.0));
  std::string line = fmt::format("{}\timages/sec: {:.1f} +/- {:.1f} (jitter = {:.1f})",
                                 times.size(), speed.mean, speed.uncertainty, speed.jitter);
  line += "\t" + loss_text(reported_loss(run, last.losses), 3);
  if (shows_accuracy(run)) {
    const double images = last.images;
    line += fmt::format("\t{:.3f}\t{:.3f}", last.losses.top_1_hits / images,
                        last.losses.top_5_hits / images);
  }
  return line + "\n";
}

std::string worker_line(int rank, std::chrono::system_clock::time_point now, int step,
                        const StepRecord& own, double loss) {
  const auto microseconds = std::chrono::floor<std::chrono::microseconds>(now.time_since_epoch());
  return fmt::format(
      "Worker {}: {:%Y-%m-%d %H:%M:%S}.{:06}: step {}, loss = {}({:.1f} examples/sec; {:.3f}  "
      "sec/batch)",
      rank, fmt::localtime(std::chrono::system_clock::to_time_t(now)),
      microseconds.count() % 1'000'000, step, loss_text(loss, 2), own.images / own.duration.count(),
      own.duration.count());
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

std::string devices_line(const RunConfig& run, const RunFacts& facts, double images_per_second) {
  if (facts.devices == 1) return "";
  const std::string per_node = facts.devices % facts.nodes == 0
                                   ? fmt::to_string(facts.devices / facts.nodes)
                                   : fmt::format("{:.1f}", double{1} * facts.devices / facts.nodes);
  return fmt::format("Nodes: {}; {} per node: {}; Images/sec: {:.2f} ({:.2f} per device)\n",
                     facts.nodes, run.device == "cpu" ? "Devices" : "GPUs", per_node,
                     images_per_second, images_per_second / facts.devices);
}

double reported_loss(const RunConfig& run, const StepLosses& losses) {
  return run.loss_type_to_report == "base_loss" ? losses.base_loss : losses.total_loss;
}

}  // namespace lockstep
