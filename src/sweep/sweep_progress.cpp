#include "sweep/sweep_progress.h"

#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "config/run_label.h"
#include "report/results/launch_rate.h"

namespace lockstep {

SweepProgress::SweepProgress(const PlannedSweep& sweep, const std::string& directory,
                             Context& context)
    : sweep_(sweep), context_(context), progress_(context), file_(directory) {}

SweepWatch SweepProgress::watch(const InterruptWatch& interrupts) {
  return {.starting =
              [this](const Launch& launch) {
                show(launch, name(launch));
                file_.tell(state(launch));
              },
          .live =
              [this](const Launch& launch, double rate) {
                show(launch, fmt::format("{}  {:.1f} images/sec", name(launch), rate));
                file_.tell_soon(state(launch, rate));
              },
          .finished = [this](const Launch& launch, const StoredRun& run) { tell(launch, run); },
          .interrupted = [&interrupts] { return interrupts.interrupted(); }};
}

std::string SweepProgress::name(const Launch& launch) const {
  return fmt::format("{} #{}", run_label(launch.run.config, sweep_.differing), launch.repeat + 1);
}

LiveState SweepProgress::state(const Launch& launch, std::optional<double> rate) const {
  return {.label = name(launch),
          .done = launch.done,
          .all = launch.all,
          .seconds_left = launch.remaining.count(),
          .images_per_second = rate};
}

void SweepProgress::show(const Launch& launch, const std::string& what) {
  progress_.show(what, launch.done, launch.all, launch.remaining);
}

void SweepProgress::tell(const Launch& launch, const StoredRun& run) {
  progress_.clear();
  const std::string outcome = run.measured() ? fmt::format("{:.2f} images/sec", rate_of(run.result))
                                             : "failed: " + run.result.error.value_or("no result");
  context_.err << fmt::format("[{}/{}] {}: {}, {} left\n", launch.done, launch.all, name(launch),
                              outcome, duration_text(launch.remaining.count()));
  for (const std::string& line : run.last_lines) context_.err << "    " << line << "\n";
  context_.err << std::flush;
}

}  // namespace lockstep
