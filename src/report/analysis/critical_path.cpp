#include "report/analysis/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace lockstep {
namespace {

constexpr double kNoticeable = 0.005;  // of a step: less is noise
constexpr double kMostOfIt = 0.5;      // of the lateness: then it has a place

// Where late ranks lose their time: the update, forward, then one place for each transfer.
class Lateness {
 public:
  explicit Lateness(const StepRecords& records) : records_(records) {}

  void add(const StepWalk& walk, size_t step) {
    const double whole = records_.result().steps[step].duration.count();
    std::vector<int> late;
    for (const LateTime& each : walk.late) {
      if (each.seconds < kNoticeable * whole) continue;
      Found& found = ranks_[each.rank];
      ++found.steps;
      found.seconds += each.seconds;
      late.push_back(each.rank);
    }
    if (walk.head_transfer >= 0 && !late.empty()) add_places(late, walk, step);
  }

  std::vector<LateRank> worst() const {
    std::vector<LateRank> list;
    for (const auto& [rank, found] : ranks_) {
      const auto& known = records_.result().ranks;
      list.push_back({.rank = rank,
                      .host = known.empty() ? "" : known[static_cast<size_t>(rank)].host,
                      .fraction = found.steps / static_cast<double>(records_.steps()),
                      .seconds = found.seconds / found.steps,
                      .where = place_of(found)});
    }
    std::ranges::sort(list, std::greater<>(), &LateRank::cost);
    list.resize(std::min(list.size(), kMostListed));
    return list;
  }

 private:
  struct Found {
    int steps = 0;
    double seconds = 0;
    std::vector<double> places = {};  // seconds more than the typical rank
  };

  // Up to the bucket that the others waited for: behind it, backward is hidden.
  std::vector<double> pieces(int rank, const StepWalk& walk, size_t step) const {
    const StepRecord& each = records_.step(rank, step);
    const double forward = each.phase(Phase::Forward).count();
    std::vector<double> list = {records_.update_after(rank, step), forward};
    double at = (each.begin + each.phase(Phase::Input)).count() + forward;
    const auto head = static_cast<size_t>(walk.head_transfer);
    for (const TransferRecord& transfer : records_.transfers(rank, step).first(head + 1)) {
      const double ready = std::max(transfer.ready.count(), at);
      list.push_back(ready - at);
      at = ready;
    }
    return list;
  }

  void add_places(std::span<const int> late, const StepWalk& walk, size_t step) {
    std::vector<std::vector<double>> all;
    for (int rank = 0; rank < records_.ranks(); ++rank) all.push_back(pieces(rank, walk, step));
    std::vector<double> typical;
    for (size_t i = 0; i < all.front().size(); ++i) {
      std::vector<double> values;
      for (const auto& each : all) values.push_back(each[i]);
      typical.push_back(lower_median(std::move(values)));
    }
    for (const int rank : late) {
      const std::vector<double>& own = all[static_cast<size_t>(rank)];
      std::vector<double>& places = ranks_[rank].places;
      places.resize(std::max(places.size(), own.size()));
      for (size_t i = 0; i < own.size(); ++i) places[i] += std::max(own[i] - typical[i], 0.0);
    }
  }

  std::string place_of(const Found& found) const {
    double sum = 0;
    for (const double each : found.places) sum += each;
    const auto most = std::ranges::max_element(found.places);
    if (most == found.places.end() || *most < kMostOfIt * sum || sum <= 0) return "";
    const auto place = static_cast<size_t>(most - found.places.begin());
    if (place < 2) return place == 0 ? "the update" : "forward";
    const Transfer& transfer = records_.result().transfers[place - 2];
    return "backward of " + (transfer.layers.empty() ? transfer.name : transfer.layers);
  }

  const StepRecords& records_;
  std::map<int, Found> ranks_;
};

// Waiting at servers, by transfer.
class Servers {
 public:
  explicit Servers(const StepRecords& records)
      : records_(records), seconds_(records.result().transfers.size()) {}

  void add(const StepWalk& walk, size_t step) {
    double beyond = 0;
    const auto shares = server_waits(records_, walk.segments.front().rank, step).shares;
    for (const ServerShare& share : shares) beyond += share.server;
    if (beyond <= 0) return;
    const double scale = walk.seconds(PathPart::Servers) / beyond;
    for (const ServerShare& share : shares) seconds_[share.transfer] += scale * share.server;
  }

  std::vector<ServerWait> worst() const {
    std::map<int, ServerWait> servers;
    std::map<int, double> most;
    for (size_t i = 0; i < seconds_.size(); ++i) {
      const Transfer& transfer = records_.result().transfers[i];
      if (seconds_[i] <= 0) continue;
      ServerWait& wait = servers[transfer.server];
      wait.server = transfer.server;
      wait.seconds += seconds_[i] / static_cast<double>(records_.steps());
      if (seconds_[i] > most[transfer.server]) {
        most[transfer.server] = seconds_[i];
        wait.variable = transfer.layers.empty() ? transfer.name : transfer.layers;
      }
    }
    std::vector<ServerWait> list;
    for (auto& [server, wait] : servers) list.push_back(std::move(wait));
    std::ranges::sort(list, std::greater<>(), &ServerWait::seconds);
    list.resize(std::min(list.size(), kMostListed));
    return list;
  }

 private:
  const StepRecords& records_;
  std::vector<double> seconds_;
};

// From when all ranks had begun a bucket until it had come back.
double under_way(const StepRecords& records, size_t step) {
  if (!records.has_buckets()) return 0;
  double sum = 0;
  for (size_t i = 0; i < records.result().transfers.size(); ++i) {
    Seconds begin = Seconds::min(), end = Seconds::min();
    for (int rank = 0; rank < records.ranks(); ++rank) {
      begin = std::max(begin, records.transfers(rank, step)[i].begin);
      end = std::max(end, records.transfers(rank, step)[i].end);
    }
    sum += std::max((end - begin).count(), 0.0);
  }
  return sum;
}

}  // namespace

std::optional<PathSummary> critical_path_of(const RunResult& result) {
  if (!has_path(result)) return {};
  const StepRecords records(result);
  Lateness lateness(records);
  Servers servers(records);
  PathSummary path = {.steps = static_cast<int>(records.steps()),
                      .servers_measured = records.servers_measure()};
  int last = -1;
  for (size_t step = 0; step < records.steps(); ++step) {
    const StepWalk walk = walk_step(records, step);
    for (const PathSegment& each : walk.segments) {
      path.part(each.part) += (each.end - each.begin).count() / path.steps;
    }
    path.part(PathPart::Compute) += walk.ahead / path.steps;
    path.part(PathPart::Late) -= walk.ahead / path.steps;
    lateness.add(walk, step);
    servers.add(walk, step);
    path.transfer_seconds += under_way(records, step) / path.steps;
    last = walk.last_transfer;
  }
  if (path.part(PathPart::Late) < 0) {  // of chance
    path.part(PathPart::Compute) += path.part(PathPart::Late);
    path.part(PathPart::Late) = 0;
  }
  for (const Transfer& transfer : result.transfers) path.transfer_bytes += transfer.bytes;
  if (last >= 0) path.last_bytes = result.transfers[static_cast<size_t>(last)].bytes;
  path.late = lateness.worst();
  path.servers = servers.worst();
  return path;
}

}  // namespace lockstep
