#include "run/evaluate_run.h"

#include <fmt/format.h>

#include <limits>
#include <ostream>
#include <thread>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "report/render/console.h"
#include "report/render/run_header.h"
#include "run/evaluator.h"
#include "run/replica_run.h"
#include "run/resume.h"
#include "run/run_outputs.h"
#include "run/summaries.h"

namespace lockstep {
namespace {

class EvaluationRun {
 public:
  // `result` is borrowed: what is known before the run.
  EvaluationRun(Context& context, const RunPlan& plan, Group& group, const RunResult& result)
      : context_(context),
        plan_(plan),
        group_(group),
        result_(result),
        interval_(plan.config.eval_interval_secs) {}

  // All evaluations, of one checkpoint after the other.
  std::vector<Evaluation> run() {
    std::optional<FoundCheckpoint> found = look();
    if (!found && !repeats()) {
      throw UsageError("Checkpoint not found in {}", plan_.config.train_dir);
    }
    Evaluator evaluator(plan_, group_, context_);
    RunResult started = result_;
    started.facts = evaluator.facts();
    context_.out << header_text(started, evaluator.epochs()) << "Generating evaluation model\n"
                 << std::flush;
    open_logs();
    if (!found && speaks()) {
      context_.err << fmt::format("waiting for a checkpoint in {}\n", plan_.config.train_dir);
    }
    for (;;) {
      if (found) evaluate(evaluator, *found);
      if (!repeats() || !another_is_there()) return evaluations_;
      found = look();
    }
  }
  bool interrupted() const { return interrupted_; }

 private:
  bool speaks() const { return group_.rank() == 0; }
  bool repeats() const { return interval_.count() > 0; }

  // Collective.
  std::optional<FoundCheckpoint> look() {
    looked_at_ = Clock::now();
    if (speaks()) seen_ = newest_path(plan_.config.train_dir);
    auto found = find_checkpoint(plan_.config, group_, context_.err);
    if (found) check_same_network(*found, plan_);
    return found;
  }

  // Collective. Waits for a checkpoint that has not been evaluated; false: interrupted.
  bool another_is_there() {
    constexpr Seconds kPatience{0.2};  // short, so that Ctrl-C takes effect soon
    for (;;) {
      enum { Stop, Another, kCount };
      float votes[kCount] = {interrupts_.interrupted() ? 1.0F : 0.0F,
                             speaks() && is_another() ? 1.0F : 0.0F};
      if (group_.control().size() > 1) group_.control().all_reduce(votes);
      interrupted_ = votes[Stop] > 0;
      if (interrupted_ || votes[Another] > 0) return !interrupted_;
      std::this_thread::sleep_for(std::min(kPatience, interval_));
    }
  }
  bool is_another() const {
    if (seconds_since(looked_at_) < interval_) return false;
    const std::string newest = newest_path(plan_.config.train_dir);
    return !newest.empty() && newest != seen_;
  }

  void evaluate(Evaluator& evaluator, const FoundCheckpoint& found) {
    context_.out << fmt::format("Successfully loaded model from {}.\n", found.path) << std::flush;
    const Evaluation& evaluation = evaluations_.emplace_back(evaluator.evaluate(found.checkpoint));
    context_.out << total_block(static_cast<double>(evaluation.examples) / evaluation.seconds)
                 << std::flush;
    if (log_) log_evaluation(*log_, evaluation);
    if (summaries_) summaries_->evaluation(evaluation);
  }

  void open_logs() {
    const RunConfig& config = plan_.config;
    if (speaks() && !config.benchmark_log_dir.empty()) log_.emplace(config.benchmark_log_dir);
    if (speaks() && !config.summary_dir.empty()) summaries_.emplace(plan_);
  }

  Context& context_;
  const RunPlan& plan_;
  Group& group_;
  const RunResult& result_;
  Seconds interval_;
  InterruptWatch interrupts_{"", InterruptWatch::Afterwards::Nothing};
  TimePoint looked_at_;
  std::string seen_;  // of rank 0: the newest file, when it looked
  bool interrupted_ = false;
  std::optional<BenchmarkLog> log_;
  std::optional<Summaries> summaries_;
  std::vector<Evaluation> evaluations_;
};

// Of the last evaluation. An evaluation has no timed steps: what follows from them is unknown.
Throughput throughput_of(const RunResult& result) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const Evaluation& last = result.evaluations.back();
  const double rate = static_cast<double>(last.examples) / last.seconds;
  return {.total_images_per_second = rate,
          .total_seconds = last.seconds,
          .per_device = rate / result.facts.devices,
          .per_node = rate / result.facts.nodes,
          .gflops = kUnknown,
          .fma_peak_gflops = {},
          .fraction_of_peak = {}};
}

}  // namespace

int evaluate_newest(Context& context, const RunPlan& plan, Group& group, RunResult result) {
  dismiss_servers(plan, group);
  EvaluationRun run(context, plan, group, result);
  result.evaluations = run.run();
  if (run.interrupted()) result.status = RunStatus::Interrupted;
  if (!result.evaluations.empty()) result.throughput = throughput_of(result);
  if (group.rank() == 0) write_outputs(plan, {std::move(result), {}}, context);
  return run.interrupted() ? kInterrupted : kSuccess;
}

}  // namespace lockstep
