#include "run/memory_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "nn/cost.h"

namespace lockstep {
namespace {

constexpr int64_t kProgramBytes = 200'000'000;  // libraries, generated code, stacks

// Rows of floats, as long as the parameters, that the optimizer keeps.
int64_t optimizer_rows(const RunPlan& plan) {
  if (plan.config.forward_only) return 0;
  const OptimizedParameter one[] = {{.stored_floats = 1, .decays = false}};
  return static_cast<int64_t>(make_optimizer(plan.optimizer, one)->state(0).size());
}

int64_t bytes_besides_engine(const RunPlan& plan, int batch) {
  const int64_t rows = 2 + optimizer_rows(plan);  // values and gradients
  const int64_t image = plan.graph.shape(plan.graph.image()).elements();
  const int64_t floats = rows * plan.facts.parameters + batch * image;
  return kProgramBytes + floats * static_cast<int64_t>(sizeof(float));
}

struct Point {
  int batch;
  int64_t bytes;
};

// Memory grows nearly in line with the batch, so the line between two points tells the next to
// try. Every fourth time the middle, in case the line is bent.
int next_batch(const Point& fits, const Point& too_large, int64_t available, int attempt) {
  const double part = attempt % 4 == 3 ? 0.5
                                       : static_cast<double>(available - fits.bytes) /
                                             static_cast<double>(too_large.bytes - fits.bytes);
  const double guess = fits.batch + part * (too_large.batch - fits.batch);
  return std::clamp(static_cast<int>(guess), fits.batch + 1, too_large.batch - 1);
}

// The largest batch worth asking the engine about: even planning for one that is far too large
// takes time and memory. Engines use a fraction of all outputs together, but not an eighth.
int plausible_batch(const RunPlan& plan, int64_t available_bytes) {
  const int64_t outputs = std::max<int64_t>(cost_of(plan.graph).activation_bytes, 1);
  const int64_t for_images = available_bytes - bytes_besides_engine(plan, 0);
  const int64_t most = std::max<int64_t>(8 * for_images / outputs, 1);
  return static_cast<int>(std::min<int64_t>(plan.facts.batch_size, most));
}

int64_t needed_with(const RunPlan& plan, int batch, const Engine& engine) {
  return bytes_besides_engine(plan, batch) + engine.memory_bytes();
}

[[noreturn]] void refuse(const RunPlan& plan, int64_t needed, int64_t available) {
  const int fitting = largest_fitting_batch(plan, available);
  throw Error(
      "{} with --batch-size {} needs {} of memory, {} are available; {}", plan.facts.model,
      plan.facts.batch_size, bytes_text(needed), bytes_text(available),
      fitting > 0 ? fmt::format("use --batch-size {} at most", fitting) : "no batch size fits");
}

}  // namespace

void refuse_hopeless_batch(const RunPlan& plan, int64_t available_bytes) {
  const int batch = plan.facts.batch_size, plausible = plausible_batch(plan, available_bytes);
  if (plausible == batch) return;
  const double per_image = static_cast<double>(needed_bytes(plan, plausible)) / plausible;
  refuse(plan, static_cast<int64_t>(per_image * batch), available_bytes);
}

std::unique_ptr<Engine> make_fitting_engine(const RunPlan& plan, int64_t available_bytes) {
  refuse_hopeless_batch(plan, available_bytes);
  std::unique_ptr<Engine> engine = plan.engine->make(plan.graph, plan.engine_options);
  const int64_t needed = needed_with(plan, plan.facts.batch_size, *engine);
  if (needed > available_bytes) refuse(plan, needed, available_bytes);
  return engine;
}

int64_t needed_bytes(const RunPlan& plan, int batch) {
  EngineOptions options = plan.engine_options;
  options.batch = batch;
  return needed_with(plan, batch, *plan.engine->make(plan.graph, options));
}

int largest_fitting_batch(const RunPlan& plan, int64_t available_bytes) {
  const int plausible = plausible_batch(plan, available_bytes);
  Point fits = {0, bytes_besides_engine(plan, 0)};
  Point too_large = {plausible, needed_bytes(plan, plausible)};
  if (too_large.bytes <= available_bytes) return too_large.batch;
  if (fits.bytes > available_bytes) return 0;
  for (int attempt = 0; too_large.batch - fits.batch > 1; ++attempt) {
    const int batch = next_batch(fits, too_large, available_bytes, attempt);
    const Point point = {batch, needed_bytes(plan, batch)};
    (point.bytes <= available_bytes ? fits : too_large) = point;
  }
  return fits.batch;
}

int halved_fitting_batch(const RunPlan& plan, int64_t available_bytes) {
  const int plausible = plausible_batch(plan, available_bytes);
  int batch = plan.facts.batch_size;
  while (batch > 0 && (batch > plausible || needed_bytes(plan, batch) > available_bytes))
    batch /= 2;
  return batch;
}

}  // namespace lockstep
