// device_parameters.h: a replica's values, gradients and optimizer state in the memory of an
// accelerator, and the optimizer that runs there.
//
// An accelerator executes what the host queues on streams, in the order of each stream. The engine
// computes on one. Updates, and the communication before them, have a stream of their own: it waits
// for gradients with take_gradients(), and the engine's stream waits for it with give_values().
// Calls return at once, but for those that say that they wait.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "nn/optimizer.h"
#include "tensor/device_row.h"

namespace lockstep {

// Called now and then while a call waits for the device, with the time waited so far: throws to end
// it.
using WhileWaiting = std::function<void(Seconds waited)>;

// Of a loss scale that adapts.
struct LossScaleState {
  double scale = 1;
  int64_t sound_steps = 0;  // since it has changed
  int64_t skipped_updates = 0;
};

class DeviceParameters {
 public:
  virtual ~DeviceParameters() = default;

  virtual const ArenaLayout& layout() const = 0;  // of every row
  virtual DeviceRow values() const = 0;
  virtual DeviceRow gradients() const = 0;
  virtual DeviceStream update_stream() const = 0;

  // Before the first step. Rows of the optimizer begin as in a new run.
  virtual void set_optimizer(const OptimizerSettings& settings,
                             std::span<const OptimizedParameter> parameters) = 0;
  virtual void begin_step(double learning_rate, double gradient_scale) = 0;
  virtual void take_gradients() = 0;  // the update stream waits for all that are ready now
  // The communication of this step is queued on the update stream: its end is a phase of the step.
  virtual void communicated() = 0;
  // On the update stream: the next values of this part of the layout, whole parameters or not.
  virtual void update(int64_t first_float, int64_t floats) = 0;
  virtual void give_values() = 0;  // the engine's stream waits for the updates so far
  // The values were written by other means, on the update stream: what the engine reports of them
  // (StepOutcome::sum_of_squares) is computed anew.
  virtual void values_given() = 0;

  // These wait for the device.
  virtual void wait() = 0;  // until all updates so far are made
  // By the names of optimizer_memory(), or "values".
  virtual void read_row(std::string_view name, std::span<float> row) = 0;
  virtual void write_row(std::string_view name, std::span<const float> row) = 0;
  virtual int64_t optimizer_steps() const = 0;
  virtual void set_optimizer_steps(int64_t steps) = 0;
  virtual std::optional<LossScaleState> loss_scale() = 0;        // absent: it does not adapt
  virtual void set_loss_scale(const LossScaleState& state) = 0;  // no effect: it does not adapt

  virtual void while_waiting(WhileWaiting call) = 0;  // empty: none
};

}  // namespace lockstep
