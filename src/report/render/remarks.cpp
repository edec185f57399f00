#include "report/render/remarks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/render/console.h"
#include "report/render/gpu_remarks.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

constexpr double kBusyLoad = 0.5;  // of one processor
constexpr double kNoticeableSteal = 0.01;
constexpr double kNoticeableWait = 0.02;  // of a step
constexpr double kLimitingWait = 0.1;     // the same

// Else the reference is the speed of matrix products.
bool is_fma_peak(const RunConfig& config) {
  return config.device == "cpu" && config.dtype == "f32";
}

std::string or_unavailable(const std::optional<std::string>& text) {
  return text.value_or("unavailable");
}

void describe(const RunResult& run, std::vector<std::string>& lines) {
  const HostInfo& host = run.host;
  lines.push_back(
      fmt::format("host: {}, {}, {} of {} processors, memory {}, huge pages {}, governor {}",
                  host.name, or_unavailable(host.cpu_model), run.facts.threads, host.usable_threads,
                  host.memory_bytes ? bytes_text(*host.memory_bytes) : "unavailable",
                  or_unavailable(host.transparent_huge_pages), or_unavailable(host.governor)));
  lines.push_back(fmt::format("network: {} parameters in {} tensors, {:.3f} GMAC per image forward",
                              thousands_text(run.facts.parameters), run.facts.gradient_tensors,
                              static_cast<double>(run.facts.forward_macs) / 1e9));
  for (const auto& [name, version] : run.libraries) {
    lines.push_back(fmt::format("library: {} {}", name, version));
  }
}

std::string steadiness_line(const RunResult& run) {
  const SteadyState& state = run.summary.steady_state;
  std::string line = fmt::format("warm-up: {}", words_for(state.steadiness));
  if (state.dropped_steps > 0) line += fmt::format(" after {} timed steps", state.dropped_steps);
  if (began_slowly(run)) {
    line += fmt::format(
        ", which lower the throughput: {:.2f} images per second without them; raise "
        "--num-warmup-batches",
        steady_rate_of(run));
  }
  if (!run.summary.outlier_steps.empty()) {
    const std::size_t count = run.summary.outlier_steps.size();
    line += fmt::format("; {} {} kept", count, count == 1 ? "outlier" : "outliers");
  }
  return line;
}

// Whether --precision was reached.
std::string precision_line(const RunResult& run) {
  const int planned = run.facts.timed_steps, done = static_cast<int>(run.steps.size());
  const std::string wish = fmt::format("--precision {:.3g}%", 100 * *run.config.precision);
  if (run.status != RunStatus::Completed) return wish + ": interrupted before it was reached";
  if (done < planned) return fmt::format("{}: reached after {} of {} steps", wish, done, planned);
  return fmt::format("{}: not reached in {} steps; raise --num-batches", wish, planned);
}

// A few long waits do not make a run input-bound: most steps must have waited.
bool most_steps_wait(const RunResult& run) {
  const auto waiting = std::ranges::count_if(run.steps, [](const StepRecord& step) {
    return step.phase(Phase::Input) >= kNoticeableWait * step.duration;
  });
  return 2 * waiting > std::ssize(run.steps);
}

// If steps wait for images: how long, and the remedy. The needed cores are those that prepare
// images as fast as the rest of the step uses them.
std::optional<std::string> input_line(const RunResult& run) {
  const double step = run.summary.mean_step;
  const double waits = run.summary.mean_phases[static_cast<size_t>(Phase::Input)];
  if (run.input.threads == 0 || waits < kNoticeableWait * step) return {};
  if (waits < kLimitingWait * step || !most_steps_wait(run)) {
    return fmt::format("waiting for images took {:.1f} % of step time", 100 * waits / step);
  }
  const double needed =
      run.input.processor_seconds_per_image * run.facts.batch_size / (step - waits);
  const int cores = static_cast<int>(std::ceil(needed));
  std::string line = fmt::format(
      "input-bound: {:.0f} % of step time waits for images. An image takes {:.2f} ms of a core",
      100 * waits / step, 1e3 * run.input.processor_seconds_per_image);
  const int here = (run.facts.devices + run.facts.nodes - 1) / run.facts.nodes;
  const int free = run.host.usable_threads / std::max(here, 1) - run.facts.threads;
  if (cores <= std::min(run.input.threads, free)) {
    return line + fmt::format("; {} {} enough for that, so storage is too slow", cores,
                              cores == 1 ? "core is" : "cores are");
  }
  return line + fmt::format(", so the input needs {} {} besides those of the network; it had {}",
                            cores, cores == 1 ? "core" : "cores",
                            std::clamp(free, 0, run.input.threads));
}

// For a network whose loss has exploded. Steps are counted from 1, as in step lines.
std::optional<std::string> divergence_line(const RunResult& run) {
  constexpr double kExploded = 1e6;
  const auto found = std::ranges::find_if(run.steps, [&](const StepRecord& step) {
    return !(std::fabs(reported_loss(run.config, step.losses)) < kExploded);
  });
  if (found == run.steps.end()) return {};
  const bool number = std::isfinite(reported_loss(run.config, found->losses));
  return fmt::format(
      "note: the loss is {} from step {} on: this network diverges on {} at this learning rate. "
      "Throughput is not affected",
      number ? "above a million" : "not a number", found - run.steps.begin() + 1,
      run.config.data_dir.empty() ? "raw synthetic images" : "these images");
}

void add_oversubscription(const RunResult& run, std::vector<std::string>& lines) {
  const int here = run.facts.workers_here, each = run.facts.threads;
  const int cores = run.facts.cores_here > 0 ? run.facts.cores_here : run.host.usable_threads;
  if (here * each <= cores) return;
  if (here == 1) {
    lines.push_back(fmt::format("note: {} threads share {} cores", each, cores));
  } else {
    lines.push_back(
        fmt::format("note: {} workers with {} {} each share {} cores: they slow each other down",
                    here, each, each == 1 ? "thread" : "threads", cores));
  }
}

// Exposed: the step waited for communication and did nothing else.
std::string communication_line(const RunResult& run) {
  const double exposed = run.summary.mean_phases[static_cast<size_t>(Phase::Communication)];
  int64_t bytes = 0;
  for (const Transfer& transfer : run.transfers) bytes += transfer.bytes;
  std::string line = std::isnan(exposed)
                         ? "exposed communication not reported"
                         : fmt::format("exposed communication {:.1f} ms, {:.1f} % of a step",
                                       1e3 * exposed, 100 * exposed / run.summary.mean_step);
  if (bytes > 0) {
    line += fmt::format("; {} in {} {} by {}", bytes_text(bytes), run.transfers.size(),
                        run.transfers.size() == 1 ? "message" : "messages", run.facts.communicator);
    const std::string& compression = run.config.gradient_compression;
    if (compression != "none") line += fmt::format(", as {} on the wire", compression);
  }
  return line;
}

std::string efficiency_line(const RunResult& run) {
  const double part = run.independent->communication_efficiency;
  std::string line = fmt::format(
      "communication efficiency {:.1f} %: the same devices without communication process {:.2f} "
      "images per second",
      100 * part, run.independent->images_per_second);
  if (part > 1) {
    line += "; above 100 %: those steps were slower by chance, or the clock or caches changed";
  }
  return line;
}

// A rank that is the slowest far more often than by chance, and by more than noise.
std::optional<std::string> straggler_line(const RunResult& run) {
  if (run.stragglers.empty()) return {};
  const Straggler& worst = *std::ranges::max_element(run.stragglers, {}, [](const Straggler& rank) {
    return rank.slowest_fraction * rank.mean_late;
  });
  const double chance = 1.0 / static_cast<double>(run.stragglers.size());
  const double part = worst.mean_late / run.summary.mean_step;
  constexpr double kNoticeable = 0.02;
  if (worst.slowest_fraction < std::min(0.9, 1.5 * chance) || part < kNoticeable) return {};
  return fmt::format(
      "note: rank {} ({}) is the straggler: slowest in {:.0f} % of the steps, by "
      "{:.1f} ms ({:.1f} % of a step)",
      worst.rank, run.ranks[static_cast<size_t>(worst.rank)].host, 100 * worst.slowest_fraction,
      1e3 * worst.mean_late, 100 * part);
}

}  // namespace

std::optional<std::string> note_on_load(const HostInfo& host) {
  const double load = host.load.value_or(0);
  if (load <= kBusyLoad) return {};
  return fmt::format(
      "note: load average is {:.2f} before the run: other processes are running, and throughput "
      "may be too low",
      load);
}

std::string energy_line(const RunResult& run) {
  if (!run.energy) return "energy unavailable";
  std::vector<std::string> phases;
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    const auto& joules = run.energy->phases[i];
    if (!joules) continue;
    std::string name(kPhaseNames[i]);
    std::ranges::replace(name, '_', ' ');
    phases.push_back(fmt::format("{} {:.1f}", name, *joules));
  }
  return fmt::format("energy {:.1f} J in the timed steps, {:.3g} images per joule; {}",
                     run.energy->joules, run.energy->images_per_joule,
                     phases.empty() ? "by phase unavailable"
                                    : fmt::format("J by phase: {}", fmt::join(phases, ", ")));
}

std::vector<std::string> remarks_before(const RunResult& run) {
  std::vector<std::string> lines;
  const HostInfo& host = run.host;
  if (auto note = note_on_load(host)) lines.push_back(std::move(*note));
  add_oversubscription(run, lines);
  const int threads_here = run.facts.workers_here * run.facts.threads;
  if (host.cgroup_cpus && *host.cgroup_cpus < threads_here) {
    lines.push_back(fmt::format("note: this container may use {:.2f} cores for {} threads",
                                *host.cgroup_cpus, threads_here));
  }
  if (host.governor && *host.governor == "powersave") {
    lines.emplace_back("note: the CPU frequency governor is powersave");
  }
  if (run.config.verbose) describe(run, lines);
  return lines;
}

std::vector<std::string> summary_lines(const RunResult& run) {
  const Summary& summary = run.summary;
  std::vector<std::string> lines;
  // Not "images/sec": scripts take every line with these words for a rate.
  if (const auto& interval = summary.images_per_second_95) {
    lines.push_back(fmt::format("95 % confidence interval {:.2f} to {:.2f} images per second",
                                interval->low, interval->high));
  }
  lines.push_back(fmt::format("step {:.1f} ms median, {:.1f} to {:.1f} ms p5 to p95",
                              summary.median_step * 1e3, summary.p5_step * 1e3,
                              summary.p95_step * 1e3));
  lines.push_back(steadiness_line(run));
  if (run.config.precision) lines.push_back(precision_line(run));
  std::string efficiency = fmt::format("{:.1f} GFLOP/s", run.throughput.gflops);
  if (run.throughput.fraction_of_peak) {
    efficiency +=
        fmt::format(", {:.1f} % of the measured {:.1f} GFLOP/s {}",
                    100 * *run.throughput.fraction_of_peak, *run.throughput.fma_peak_gflops,
                    is_fma_peak(run.config) ? "FMA peak" : "of matrix products");
  }
  if (run.peak_memory_bytes) {
    efficiency += "; peak memory " + bytes_text(*run.peak_memory_bytes);
  }
  lines.push_back(efficiency);
  const bool together = run.facts.devices > 1 && !run.ranks.empty();
  if (together || !run.transfers.empty()) lines.push_back(communication_line(run));
  if (run.independent) lines.push_back(efficiency_line(run));
  if (run.energy || run.config.verbose) lines.push_back(energy_line(run));
  if (const auto line = input_line(run)) lines.push_back(*line);
  double images = 0;
  for (const StepRecord& step : run.steps) images += step.images;
  std::ranges::move(gpu_lines(run.gpus, images), std::back_inserter(lines));
  if (run.throughput.checkpoint_seconds > 0) {
    lines.push_back(fmt::format("checkpoints took {:.2f} of {:.2f} s",
                                run.throughput.checkpoint_seconds, run.throughput.total_seconds));
  }
  return lines;
}

std::vector<std::string> damage_lines(const InputResult& input) {
  constexpr size_t kShown = 5;
  std::vector<std::string> parts;
  if (input.skipped > 0) parts.push_back(count_text(input.skipped, "damaged example"));
  if (input.damaged_files > 0) {
    parts.push_back("the rest of " + count_text(input.damaged_files, "damaged file"));
  }
  if (parts.empty()) return {};
  std::vector<std::string> lines = {fmt::format("note: skipped {}", fmt::join(parts, " and "))};
  for (size_t i = 0; i < std::min(kShown, input.damage.size()); ++i) {
    lines.push_back("skipped: " + input.damage[i]);
  }
  return lines;
}

std::vector<std::string> remarks_after(const RunResult& run) {
  std::vector<std::string> lines;
  if (run.config.efficiency && !run.independent && run.status == RunStatus::Completed) {
    lines.emplace_back("note: --efficiency ignored: this run does not communicate");
  }
  if (const auto straggler = straggler_line(run)) lines.push_back(*straggler);
  std::ranges::move(gpu_notes(run.gpus), std::back_inserter(lines));
  if (run.loss_scale && run.loss_scale->skipped_updates > 0) {
    lines.push_back(
        fmt::format("note: {} left out, because gradients overflowed; the loss scale is "
                    "{:.0f} now",
                    count_text(run.loss_scale->skipped_updates, "update"), run.loss_scale->last));
  }
  for (const std::string& note : run.notes) lines.push_back("note: " + note);
  std::ranges::move(damage_lines(run.input), std::back_inserter(lines));
  if (const auto line = divergence_line(run)) lines.push_back(*line);
  if (run.stolen_cpu_fraction.value_or(0) > kNoticeableSteal) {
    lines.push_back(fmt::format("note: other virtual machines took {:.1f} % of processor time",
                                100 * *run.stolen_cpu_fraction));
  }
  return lines;
}

}  // namespace lockstep
