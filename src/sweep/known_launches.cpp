#include "sweep/known_launches.h"

#include "measure/launches.h"
#include "report/results/launch_rate.h"
#include "sweep/run_sweep.h"

namespace lockstep {

// A simulated result has the id of its run but does not count as a launch.
KnownLaunches::KnownLaunches(const StoreContents& contents, bool retry_failed) {
  for (const StoredRun& run : contents.runs) {
    if (run.result.simulated() || run.skipped()) continue;
    if (run.measured() || !retry_failed) kind_of(run).finished.emplace(run.id, run.repeat);
    note_time(run);
  }
}

void KnownLaunches::add(const StoredRun& run) {
  kind_of(run).finished.emplace(run.id, run.repeat);
  note_time(run);
}

bool KnownLaunches::has(const SweepRun& run, int repeat) const {
  return runs_.finished.contains({run.id, repeat}) ||
         (run.control && controls_.finished.contains({run.id, repeat}));
}

bool KnownLaunches::is_precise(const SweepRun& run, std::optional<double> precision) const {
  if (!precision) return false;
  return runs_.is_precise(run.id, *precision) ||
         (run.control && controls_.is_precise(run.id, *precision));
}

bool KnownLaunches::Kind::is_precise(const std::string& id, double precision) const {
  const auto own = seconds.find(id);
  return own != seconds.end() && own->second.size() >= kLeastForPrecision &&
         summarize_launches(own->second).precision() <= precision;
}

void KnownLaunches::note_time(const StoredRun& run) {
  const double rate = rate_of(run.result);
  if (run.measured() && rate > 0) kind_of(run).seconds[run.id].push_back(1 / rate);
}

}  // namespace lockstep
