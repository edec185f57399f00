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

// Seconds. `late_*` apply to `late_ranks` only.
struct MadeSteps {
  int ranks = 4, steps = 20;
  double input = 0.001, forward = 0.030, update = 0.002, between = 0.001;
  std::vector<double> backward = {0.020, 0.020, 0.020};  // until each bucket is ready
  std::vector<double> transfer = {0.004, 0.004, 0.004};  // of each bucket
  double wake_up = 0;                                    // until a ready bucket begins
  int late_rank = -1, late_ranks = 1, late_bucket = 1;   // from that rank on
  double late_backward = 0, late_input = 0, late_update = 0;
  double hidden_update = 0;  // of the first buckets, while the last one is under way
  int late_every = 1;        // steps
  double noise = 0;          // a fraction of forward, different in each step
  std::string update_strategy = "replicated";
  // Parameter servers: `transfer` are pushes, and variable v is on server v % servers.
  int servers = 0;
  std::vector<double> pull = {0.002, 0.002, 0.002};
  double hot = 0;                         // that each pull from the last server takes longer
  bool measured = false;                  // servers tell how long they held each pull
  std::vector<double> queue = {0, 0, 0};  // that pulls of each variable are queued for
  // What is pushed first is pulled first. Reversed, no pull of a fast rank hides behind a late one.
  bool pulls_in_order = false;
};

inline double made_noise(int step, int rank) {  // between -0.5 and 0.5, the same every time
  return RandomStream(1, static_cast<uint64_t>(rank)).uniform(static_cast<uint64_t>(step)) - 0.5;
}

inline bool is_late(const MadeSteps& made, int rank, int step) {
  return made.late_rank >= 0 && rank >= made.late_rank && rank < made.late_rank + made.late_ranks &&
         step % made.late_every == 0;
}

// Workers push gradients when they are ready. Before forward they pull all values, each as soon as
// all workers have pushed its gradient of the step before and a server has updated it.
inline std::vector<RankResult> made_workers(const MadeSteps& made) {
  const size_t variables = made.backward.size();
  std::vector<RankResult> ranks(static_cast<size_t>(made.ranks));
  std::vector<double> at(ranks.size(), 0.0), updated(variables, 0.0);
  for (int step = 0; step < made.steps; ++step) {
    std::vector<double> pushed(variables, 0.0);
    for (size_t r = 0; r < ranks.size(); ++r) {
      const int rank = static_cast<int>(r);
      const bool late = is_late(made, rank, step);
      const double input = made.input + (late ? made.late_input : 0), ready = at[r] + input;
      const double forward = made.forward * (1 + made.noise * made_noise(step, rank));
      std::vector<TransferRecord> pushes(variables), pulls(variables);
      double now = ready, sent = 0;
      for (size_t i = 0; i < variables; ++i) {
        const size_t v = made.pulls_in_order ? i : variables - 1 - i;
        const bool slow = static_cast<int>(v) % made.servers == made.servers - 1;
        const double asked = now, queued = made.queue[v] + (slow ? made.hot : 0);
        const double end = std::max(asked, updated[v]) + queued + made.pull[v];
        pulls[v] = {Seconds(ready), Seconds(asked), Seconds(end)};
        if (made.measured) {
          pulls[v].hold = {Seconds(std::max(updated[v] - asked, 0.0)), Seconds(queued)};
        }
        now = end;
      }
      const double waited = now - ready;
      now += forward;
      for (size_t v = 0; v < variables; ++v) {
        now += made.backward[v];
        if (late && static_cast<int>(v) == made.late_bucket) now += made.late_backward;
        const double begin = std::max(now, sent);
        sent = begin + made.transfer[v];
        pushes[v] = {Seconds(now), Seconds(begin), Seconds(sent)};
        pushed[v] = std::max(pushed[v], sent + made.update + made.between);
      }
      StepRecord record;
      record.begin = Seconds(at[r]);
      record.phase(Phase::Input) = Seconds(input);
      record.phase(Phase::Forward) = Seconds(forward);
      record.phase(Phase::Backward) = Seconds(now - ready - waited - forward);
      record.phase(Phase::Communication) = Seconds(waited + sent - now);
      record.phase(Phase::Update) = Seconds(made.update);
      record.phase(Phase::Between) = Seconds(made.between);
      record.images = 8;
      at[r] = sent + made.update + made.between;
      record.duration = Seconds(at[r]) - record.begin;
      ranks[r].rank = rank;
      ranks[r].host = "host" + std::to_string(r);
      ranks[r].steps.push_back(record);
      for (const auto* list : {&pushes, &pulls}) {
        ranks[r].transfers.insert(ranks[r].transfers.end(), list->begin(), list->end());
      }
      ranks[r].total = Seconds(at[r]);
    }
    updated = pushed;
  }
  return ranks;
}

inline std::vector<Transfer> made_transfers(const MadeSteps& made) {
  std::vector<Transfer> list;
  if (made.servers == 0) {
    for (size_t b = 0; b < made.transfer.size(); ++b) {
      list.push_back({.name = "bucket " + std::to_string(b),
                      .bytes = 1 << 20,
                      .layers = "layer" + std::to_string(made.transfer.size() - b)});
    }
    return list;
  }
  for (const char* what : {"push ", "pull "}) {
    for (int v = 0; v < static_cast<int>(made.backward.size()); ++v) {
      const std::string name = "variable" + std::to_string(v);
      list.push_back(
          {.name = what + name, .bytes = 1 << 20, .layers = name, .server = v % made.servers});
    }
  }
  return list;
}

inline std::vector<RankResult> made_ranks(const MadeSteps& made) {
  if (made.servers > 0) return made_workers(made);
  std::vector<RankResult> ranks(static_cast<size_t>(made.ranks));
  std::vector<double> at(ranks.size(), 0.0);
  for (int step = 0; step < made.steps; ++step) {
    std::vector<std::vector<TransferRecord>> times(
        ranks.size(), std::vector<TransferRecord>(made.transfer.size()));
    std::vector<StepRecord> records(ranks.size());
    std::vector<double> computed(ranks.size());
    for (size_t r = 0; r < ranks.size(); ++r) {
      const bool late = is_late(made, static_cast<int>(r), step);
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
        own[b].begin = std::max(own[b].ready + Seconds(made.wake_up), Seconds(end));
        start = std::max(start, own[b].begin.count());
      }
      end = start + made.transfer[b];
      for (auto& own : times) own[b].end = Seconds(end);
    }
    for (size_t r = 0; r < ranks.size(); ++r) {
      const double busy = computed[r] + made.hidden_update, done = std::max(busy, end);
      records[r].phase(Phase::Communication) = Seconds(done - busy);
      const bool late = is_late(made, static_cast<int>(r), step);
      const double update = made.update + (late ? made.late_update : 0);
      records[r].phase(Phase::Update) = Seconds(made.hidden_update + update);
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
  result.facts.servers = made.servers;
  if (made.ranks > 1) result.transfers = made_transfers(made);
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
