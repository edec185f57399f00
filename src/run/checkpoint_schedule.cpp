#include "run/checkpoint_schedule.h"

namespace lockstep {

CheckpointSchedule::CheckpointSchedule(const RunPlan& plan)
    : plan_(plan),
      writer_(plan.config.train_dir, plan.config.max_ckpts_to_keep),
      lock_(lock_train_dir(plan.config.train_dir)),
      saved_step_(plan.resume_point.step) {
  writer_.remove_half_written();
}

bool CheckpointSchedule::time_has_come() const {
  const double every = plan_.config.save_model_secs;
  return every > 0 && seconds_since(saved_at_).count() >= every;
}

std::future<void> CheckpointSchedule::save(int64_t step, const PausedReplica& replica) {
  const int64_t batch = int64_t{1} * plan_.facts.batch_size * plan_.facts.devices;
  const int64_t steps = step - plan_.resume_point.step;
  Checkpoint checkpoint = capture({.model = plan_.facts.model,
                                   .dataset = plan_.facts.dataset,
                                   .optimizer = plan_.optimizer.name,
                                   .step = step,
                                   .examples = plan_.resume_point.examples + steps * batch,
                                   .convolutions = to_text(plan_.engine_options.conv_choices)},
                                  replica.engine, replica.arena, replica.strategy);
  saved_step_ = step;
  return std::async(std::launch::async, [this, checkpoint = std::move(checkpoint)] {
    writer_.write(checkpoint);
    saved_at_ = Clock::now();
  });
}

}  // namespace lockstep
