#include "run/framework/native_losses.h"

#include <omp.h>

#include "nn/l2.h"
#include "sync/independent.h"
#include "train/first_values.h"
#include "train/replicated.h"

namespace lockstep {
namespace {

// The step that lowers the loss by this part of itself, to first order.
constexpr double kPartOfLoss = 0.01;

double rate_for(double loss, const ParameterArena& arena) {
  const double squares = sum_of_squares(arena.all_gradients());
  return squares > 0 ? kPartOfLoss * loss / squares : 0;
}

}  // namespace

NativeLosses native_losses(const RunPlan& plan, const InputShare& share, int steps) {
  EngineOptions options = plan.engine_options;
  options.device = "cpu";
  const std::unique_ptr<Engine> engine = plan.engine->make(plan.graph, options);
  omp_set_num_threads(plan.facts.threads);
  ParameterArena arena = make_arena(*engine);
  start_from_first_values(plan.graph, plan.first_values_seed, *engine, arena);
  const std::unique_ptr<InputSource> input = make_run_input(plan, share);
  Independent strategy(replicated_of(*engine, arena, plan.optimizer));
  strategy.start();
  NativeLosses native;
  for (int step = 0; step < steps; ++step) {
    const Batch& batch = input->next();
    const double loss = engine->forward(batch).loss;
    native.losses.push_back(loss);
    engine->backward([](ParameterId) {});
    if (step == 0) native.learning_rate = rate_for(loss, arena);
    strategy.begin_step(native.learning_rate);
    for (ParameterId id = 0; id < arena.count(); ++id) strategy.gradient_ready(id);
    strategy.finish_step();
  }
  return native;
}

}  // namespace lockstep
