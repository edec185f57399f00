// updater.h: applies a finished gradient in a strategy that keeps all values: runs the optimizer,
// notifies the engine, and keeps the sum of squares for the next step's L2 loss.
#pragma once

#include <memory>

#include "sync/strategy.h"
#include "sync/sync_options.h"

namespace lockstep {

// The sum of gradients of (loss + decay) decays once per replica, like one with a larger rate.
inline OptimizerSettings optimizer_for(OptimizerSettings settings, const SyncOptions& options,
                                       int replicas) {
  if (!options.mean) settings.weight_decay *= replicas;
  return settings;
}
inline double gradient_scale(const SyncOptions& options, int replicas) {
  return options.mean ? 1.0 / replicas : 1.0;
}

class Updater {
 public:
  explicit Updater(Replicated replicated);

  ParameterArena& arena() const { return replicated_.arena; }
  const std::vector<std::string>& names() const { return replicated_.names; }

  void values_given();  // the arena holds values that did not come from apply()
  // `gradient_scale`: 1 / replicas when gradients are sums over them.
  void begin_step(double learning_rate, double gradient_scale = 1);
  void apply(ParameterId id) { apply(id, arena().gradient(id)); }
  void apply(ParameterId id, std::span<const float> gradient);
  void finish_step() { squares_ = next_squares_; }
  double sum_of_squares() const { return squares_; }

  Carried carried() const;
  void carry_on(const Carried& carried);  // before values_given()

 private:
  Replicated replicated_;
  std::unique_ptr<Optimizer> optimizer_;  // owned: its momentum belongs to this replica
  double squares_ = 0;                    // of the values that the running step reads
  double next_squares_ = 0;               // of those updated so far
  std::optional<double> given_squares_;   // of a checkpoint: to the last bit
};

}  // namespace lockstep
