#include "app/evaluate_run.h"

#include <fmt/format.h>

#include <ostream>

#include "app/evaluator.h"
#include "app/outputs.h"
#include "app/replica_run.h"
#include "app/resume.h"
#include "app/summaries.h"
#include "base/error.h"
#include "report/console.h"

namespace lockstep {

int evaluate_newest(Surroundings& around, const RunPlan& plan, Crew& crew, RunResult result) {
  around.out << header_text(program_version(), plan.config, plan.facts, plan.epochs)
             << "Generating evaluation model\n"
             << std::flush;
  dismiss_servers(plan, crew);
  const auto found = find_checkpoint(plan.config, crew, around.err);
  if (!found) throw Error("Checkpoint not found in {}", plan.config.train_dir);
  check_same_network(*found, plan);
  Evaluator evaluator(plan, crew, around.out);
  around.out << fmt::format("Successfully loaded model from {}.\n", found->path) << std::flush;
  const Evaluation evaluation = evaluator.evaluate(found->checkpoint);
  if (crew.rank() > 0) return kSuccess;
  around.out << total_block(static_cast<double>(evaluation.examples) / evaluation.seconds)
             << std::flush;
  if (!plan.config.benchmark_log_dir.empty()) {
    BenchmarkLog log(plan.config.benchmark_log_dir);
    log_evaluation(log, evaluation);
  }
  if (!plan.config.summary_dir.empty()) Summaries(plan).evaluation(evaluation);
  result.evaluations = {evaluation};
  write_outputs(plan, {std::move(result), {}}, around);
  return kSuccess;
}

}  // namespace lockstep
