// loss_budget.h: where the lost scaling efficiency went.
//
// A device has the same work in every run of a series, so the ideal step takes as long as that of
// the base. What a step takes longer is split by the critical paths of both (path_summary.h): each
// part is its time in this run minus its time in the base. The parts add up to the loss exactly.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

enum class LossPart {
  SlowerCompute,
  BesideCommunication,
  LateRanks,
  Wire,
  Queue,
  Servers,
  Input,
  Between,
  Unknown
};
struct LossPartKind {
  std::string_view name, key;  // "slower compute", "slower_compute"
};
inline constexpr LossPartKind kLossParts[] = {
    {"slower compute", "slower_compute"},
    {"compute beside communication", "beside_communication"},
    {"late ranks", "late_ranks"},
    {"wire", "wire"},
    {"queue", "queue"},
    {"servers", "servers"},
    {"input", "input"},
    {"between steps", "between_steps"},
    {"not reported", "unknown"}};
inline constexpr size_t kLossPartCount = std::size(kLossParts);

// What a budget was made from. Experiment: runs of the same workers without communication (sweep
// --explain). Records: the times of phases and transfers. Phases: only those of phases.
enum class BudgetSource { Experiment, Records, Phases, Nothing };

struct LossBudget {
  size_t configuration = 0;         // index in the report
  std::optional<size_t> base = {};  // the same; absent: only what is not compute counts as loss
  double step = 0, ideal_step = 0;  // seconds
  Ratio efficiency = {};            // ideal step / step
  std::array<double, kLossPartCount> seconds{};  // per step; they add up to step - ideal step
  std::array<std::optional<Interval>, kLossPartCount> seconds_95 = {};
  BudgetSource source = BudgetSource::Nothing;
  bool lacks_controls = false;  // `sweep --explain` ran, but runs without communication failed
  PathSummary path = {};        // mean of the launches
  PathSeconds here = {};        // the same parts, also of launches without a path
  // Of the base, 0: not known. Threads of a device; workers on the host of its rank 0.
  int base_devices = 0, base_threads = 0, base_workers = 0;
  size_t launch = 0;  // the one nearest to the mean: index in the stored runs

  double lost() const { return 1 - efficiency.value; }  // a fraction: 0.1 are ten points
  std::optional<Interval> lost_95() const;
  double part(LossPart which) const {  // the same
    return seconds[static_cast<size_t>(which)] / step;
  }
  std::optional<Interval> part_95(LossPart which) const;
  // What a step of this run spends on a part; of compute, what it takes longer than in the base.
  double seconds_here(LossPart which) const;
  LossPart largest() const;
};

// Of every configuration of several devices, in the order of the report; but for those that have
// neither a base nor phases, of which nothing is known. The base of a series has no base itself.
std::vector<LossBudget> loss_budgets(const ScalingReport& report, std::span<const StoredRun> runs);

}  // namespace lockstep
