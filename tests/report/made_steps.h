// made_steps.h: launches of several ranks that were never run: their records follow from a
// schedule, so the cause of every loss is known.
#pragma once

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "config/run_id.h"
#include "report/analysis/critical_path.h"
#include "report/results/merge_ranks.h"
#include "report/results/results_store.h"

namespace lockstep {

// Seconds. `late_*` apply to one rank only.
struct MadeSteps {
  int ranks = 4, steps = 20;
  double input = 0.001, forward = 0.030, update = 0.002, between = 0.001;
  std::vector<double> backward = {0.020, 0.020, 0.020};  // until each bucket is ready
  std::vector<double> transfer = {0.004, 0.004, 0.004};  // of each bucket
  int late_rank = -1, late_bucket = 1;
  double late_backward = 0, late_input = 0, late_update = 0;
  int late_every = 1;  // steps
  double noise = 0;    // a fraction of forward, different in each step
  std::string update_strategy = "replicated";
};

inline double made_noise(int step, int rank) {  // between -0.5 and 0.5, the same every time
  return RandomStream(1, static_cast<uint64_t>(rank)).uniform(static_cast<uint64_t>(step)) - 0.5;
}

inline std::vector<RankResult> made_ranks(const MadeSteps& made) {
  std::vector<RankResult> ranks(static_cast<size_t>(made.ranks));
  std::vector<double> at(ranks.size(), 0.0);
  for (int step = 0; step < made.steps; ++step) {
    std::vector<std::vector<TransferRecord>> times(
        ranks.size(), std::vector<TransferRecord>(made.transfer.size()));
    std::vector<StepRecord> records(ranks.size());
    std::vector<double> computed(ranks.size());
    for (size_t r = 0; r < ranks.size(); ++r) {
      const bool late = static_cast<int>(r) == made.late_rank && step % made.late_every == 0;
      const double input = made.input + (late ? made.late_input : 0);
      const double forward =
          made.forward * (1 + made.noise * made_noise(step, static_cast<int>(r)));
      double now = at[r] + input + forward;
      for (size_t b = 0; b < made.backward.size(); ++b) {
        now += made.backward[b];
        if (late && static_cast<int>(b) == made.late_bucket) now += made.late_backward;
        if (b < times[r].size()) times[r][b].ready = Seconds(now);
      }
      computed[r] = now;
      records[r].begin = Seconds(at[r]);
      records[r].phase(Phase::Input) = Seconds(input);
      records[r].phase(Phase::Forward) = Seconds(forward);
      records[r].phase(Phase::Backward) = Seconds(now - at[r] - input - forward);
    }
    double end = 0;
    for (size_t b = 0; b < made.transfer.size() && made.ranks > 1; ++b) {
      double start = 0;
      for (auto& own : times) {
        own[b].begin = std::max(own[b].ready, Seconds(end));
        start = std::max(start, own[b].begin.count());
      }
      end = start + made.transfer[b];
      for (auto& own : times) own[b].end = Seconds(end);
    }
    for (size_t r = 0; r < ranks.size(); ++r) {
      const double done = std::max(computed[r], end);
      records[r].phase(Phase::Communication) = Seconds(done - computed[r]);
      const bool late = static_cast<int>(r) == made.late_rank && step % made.late_every == 0;
      const double update = made.update + (late ? made.late_update : 0);
      records[r].phase(Phase::Update) = Seconds(update);
      records[r].phase(Phase::Between) = Seconds(made.between);
      records[r].images = 8;
      at[r] = done + update + made.between;
      records[r].duration = Seconds(at[r]) - records[r].begin;
      ranks[r].rank = static_cast<int>(r);
      ranks[r].host = "host" + std::to_string(r);
      ranks[r].steps.push_back(records[r]);
      if (made.ranks > 1) {
        ranks[r].transfers.insert(ranks[r].transfers.end(), times[r].begin(), times[r].end());
      }
      ranks[r].total = Seconds(at[r]);
    }
  }
  return ranks;
}

inline RunResult made_result(const MadeSteps& made, std::vector<RankResult> ranks) {
  RunResult result;
  result.config.model = result.facts.model = "alexnet";
  result.config.batch_size = result.facts.batch_size = 8;
  result.config.num_devices = result.facts.devices = made.ranks;
  result.config.variable_update = made.update_strategy;
  result.facts.threads = 1;
  result.facts.workers_here = made.ranks;
  result.facts.cores_here = result.host.usable_threads = 64;
  Seconds total{};
  for (const RankResult& rank : ranks) total = std::max(total, rank.total);
  if (made.ranks > 1 && result.transfers.empty()) {
    for (size_t b = 0; b < made.transfer.size(); ++b) {
      result.transfers.push_back({.name = "bucket " + std::to_string(b),
                                  .bytes = 1 << 20,
                                  .layers = "layer" + std::to_string(made.transfer.size() - b)});
    }
  }
  merge_ranks(result, std::move(ranks));
  double images = 0;
  for (const StepRecord& step : result.steps) images += step.images;
  result.throughput.total_images_per_second = images / total.count();
  result.summary = summarize(result.steps, images / total.count());
  return result;
}

inline RunResult made_result(const MadeSteps& made) {
  RunResult result = made_result(made, made_ranks(made));
  result.path = critical_path_of(result);
  return result;
}

inline void add_launch(std::vector<StoredRun>& runs, const RunResult& result, int repeat = 0,
                       bool control = false) {
  StoredRun run = {.id = run_id(result.config), .repeat = repeat};
  run.control = control;
  run.result = result;
  run.result.started_at = std::to_string(repeat);
  runs.push_back(run);
}

}  // namespace lockstep
