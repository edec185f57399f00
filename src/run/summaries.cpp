#include "run/summaries.h"

#include "report/render/console.h"

namespace lockstep {

Summaries::Summaries(const RunPlan& plan) : plan_(plan), file_(plan.config.summary_dir) {
  if (plan.resume_point.step > 0) file_.go_on_at(plan.resume_point.step + 1);
}

bool is_summary_step(const RunConfig& run, int step) {
  const int every = run.save_summaries_steps;
  return every > 0 ? step % every == 0 : is_shown(run, step);
}

void Summaries::step(const StepRecord& last, int64_t done, double images_per_second) {
  const double images = last.images;
  if (plan_.config.forward_only) {
    return file_.add(plan_.resume_point.step + done, {{"images_per_second", images_per_second}});
  }
  const int64_t schedule_step = plan_.resume_point.schedule + done - 1;
  file_.add(plan_.resume_point.step + done,
            {{"loss/total", last.losses.total_loss},
             {"loss/base", last.losses.base_loss},
             {"learning_rate", plan_.schedule.at(schedule_step)},
             {"images_per_second", images_per_second},
             {"training/top_1_accuracy", last.losses.top_1_hits / images},
             {"training/top_5_accuracy", last.losses.top_5_hits / images}});
}

void Summaries::evaluation(const Evaluation& evaluation) {
  file_.add(evaluation.step, {{"evaluation/top_1_accuracy", evaluation.top_1_accuracy},
                              {"evaluation/top_5_accuracy", evaluation.top_5_accuracy}});
}

void log_evaluation(BenchmarkLog& log, const Evaluation& evaluation) {
  log.metric("eval_top_1_accuracy", evaluation.top_1_accuracy, evaluation.step);
  log.metric("eval_top_5_accuracy", evaluation.top_5_accuracy, evaluation.step);
  log.metric("eval_average_examples_per_sec",
             static_cast<double>(evaluation.examples) / evaluation.seconds, evaluation.step);
}

}  // namespace lockstep
