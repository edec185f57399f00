#include "app/checkpoint_keeper.h"

namespace lockstep {

CheckpointKeeper::CheckpointKeeper(const RunPlan& plan)
    : plan_(plan),
      writer_(plan.config.train_dir, plan.config.max_ckpts_to_keep),
      saved_step_(plan.beginning.step) {
  writer_.remove_half_written();
}

bool CheckpointKeeper::due(int64_t step) const {
  const RunConfig& config = plan_.config;
  if (config.save_model_steps) return step % *config.save_model_steps == 0;
  return config.save_model_secs > 0 && seconds_since(saved_at_).count() >= config.save_model_secs;
}

std::future<void> CheckpointKeeper::after_step(int64_t step, const AtRest& replica) {
  return due(step) ? save(step, replica) : std::future<void>();
}

std::future<void> CheckpointKeeper::finish(int64_t step, const AtRest& replica) {
  return step == saved_step_ ? std::future<void>() : save(step, replica);
}

std::future<void> CheckpointKeeper::save(int64_t step, const AtRest& replica) {
  const int64_t batch = int64_t{1} * plan_.facts.batch_size * plan_.facts.devices;
  const int64_t steps = step - plan_.beginning.step;
  Checkpoint checkpoint = capture({.model = plan_.facts.model,
                                   .dataset = plan_.facts.dataset,
                                   .optimizer = plan_.optimizer.name,
                                   .step = step,
                                   .examples = plan_.beginning.examples + steps * batch,
                                   .convolutions = to_text(plan_.engine_options.conv_choices)},
                                  replica.engine, replica.arena, replica.strategy);
  saved_step_ = step;
  return std::async(std::launch::async, [this, checkpoint = std::move(checkpoint)] {
    writer_.write(checkpoint);
    saved_at_ = Clock::now();
  });
}

}  // namespace lockstep
