// engine.h: runs one replica of a network.
//
// An engine stores parameters as its kernels like them: the arena holds values and gradients in
// that layout, and everything between backward and the optimizer works on it as a flat row of
// floats. Plain layout (nn/parameters.h) is for checkpoints, tests and first values.
//
// Not thread safe: one thread, the one that made the engine, calls everything.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/conv_choices.h"
#include "engine/dtype.h"
#include "nn/device_parameters.h"
#include "nn/graph.h"
#include "tensor/batch.h"
#include "tensor/parameter_arena.h"

namespace lockstep {

enum class Mode {
  Training,
  Inference,  // no backward; batch normalisation uses its moving averages, dropout does nothing
};

// How convolutions are computed, where an engine has a choice.
enum class ConvAlgorithm {
  Auto,      // by EngineOptions::conv_choices, and where they end by a rule
  Direct,    // sums of products as they are defined
  Winograd,  // fewer products wherever that is possible
};

struct EngineOptions {
  int batch = 0;
  int threads = 1;
  Mode mode = Mode::Training;
  ImageLayout layout = ImageLayout::Nchw;  // in which batches arrive
  uint64_t seed = 0;                       // of dropout
  std::string device = "cpu";              // "cpu", or an accelerator: "cuda:1"
  bool parameters_on_device = false;       // of an accelerator; else they live in the arena
  Dtype dtype = Dtype::F32;
  LossScale loss_scale = {};
  // Of training with parameters_on_device: steps are captured as a graph, and replayed. A step then
  // ends with DeviceParameters::give_values().
  bool graph = false;
  ConvAlgorithm convolution = ConvAlgorithm::Auto;
  ConvChoices conv_choices = {};  // of Auto: what was measured before
};

// Those of this host that an engine can use.
struct Accelerators {
  std::string name;  // of --device: "cuda"
  int count = 0;
};

struct ParameterInfo {
  std::string name;
  Shape shape;
  int64_t stored_floats;  // in the engine's layout, padding included
  bool decays;
};

// Something a replica keeps besides parameters: the moving averages of batch normalisation.
struct StateInfo {
  std::string name;  // "batchnorm0/moving_mean"
  std::span<float> values;
};

// How long a device worked on a step.
struct DevicePhases {
  Seconds forward{}, backward{};
  Seconds communication{}, update{};  // of what backward did not hide
  bool updates = true;                // were the device's; else the host knows those two
};

struct StepOutcome {
  float loss = 0;      // mean over the batch, heads weighted, without L2; 0 in inference
  int top_1_hits = 0;  // of the main head
  int top_5_hits = 0;
  double sum_of_squares = 0;                // of values in device_parameters() that decay
  std::optional<DevicePhases> device = {};  // of an engine on an accelerator
};

// One operation as executed, for profiles and traces.
struct OpInfo {
  std::string layer;   // name of the node that it computes (the first, where several are fused)
  std::string what;    // "conv+relu", "bn+add+relu"
  std::string kernel;  // implementation of forward / backward: "jit:avx2"
  Shape output;
  int64_t forward_macs;  // per image
};

enum class Pass { Forward, Backward };

// Told of every operation while it is set; costs two clock reads per operation.
struct OpObserver {
  virtual ~OpObserver() = default;
  virtual void executed(int op, Pass pass, TimePoint begin, TimePoint end) = 0;
};

using GradientReady = std::function<void(ParameterId)>;

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::span<const ParameterInfo> parameters() const = 0;    // by id
  virtual std::span<const ParameterId> backward_order() const = 0;  // as backward finishes them
  virtual uint64_t layout_fingerprint() const = 0;                  // equal on all ranks, else
                                                                    // exchange plain values
  // Borrows the arena, made from parameters() and backward_order(), until the engine dies.
  virtual void bind(ParameterArena& arena) = 0;
  // Null: values and gradients live in the arena. Else they live here, and of the arena only values
  // are used, when values_changed() says that they are new.
  virtual DeviceParameters* device_parameters() = 0;

  // Begins a step. An accelerator computes it later: the batch may change when this returns, but
  // what came out is only known to outcome().
  virtual void start_forward(const Batch& batch) = 0;
  // Of the last forward, or of the one before (1). Waits until it is there.
  virtual StepOutcome outcome(int forwards_ago) = 0;
  // How old an outcome is when outcome() does not hold up the device any more.
  virtual int outcome_lag() const = 0;
  StepOutcome forward(const Batch& batch) {
    start_forward(batch);
    return outcome(0);
  }
  // Computes all gradients of the last forward; ready(id): done with value and gradient of id for
  // this step, so the optimizer may run on it. With device_parameters(), ready(id) is called when
  // all of that is queued, perhaps by another thread, while the caller of backward() waits.
  virtual void backward(const GradientReady& ready) = 0;
  // The values of id in the arena were changed: refresh what is derived from them.
  virtual void values_changed(ParameterId id) = 0;

  virtual void read_plain(ParameterId id, std::span<const float> stored,
                          std::span<float> plain) const = 0;
  virtual void write_plain(ParameterId id, std::span<const float> plain,
                           std::span<float> stored) const = 0;

  // forward() counts from 0, or from here on: which values dropout drops depends on it.
  virtual void count_from(int64_t step) = 0;

  virtual std::span<const StateInfo> state() = 0;
  virtual void state_changed() = 0;  // the moving averages were changed from outside

  virtual std::span<const OpInfo> ops() const = 0;
  virtual void observe(OpObserver* observer) = 0;  // nullptr stops it
  virtual int64_t memory_bytes() const = 0;  // activations, workspaces and copies, not the arena
};

// An engine on the host: all lives in the arena, and a call is done when it returns.
class HostEngine : public Engine {
 public:
  DeviceParameters* device_parameters() final { return nullptr; }
  void start_forward(const Batch& batch) final { outcome_ = run_forward(batch); }
  StepOutcome outcome(int) final { return outcome_; }
  int outcome_lag() const final { return 0; }

 protected:
  virtual StepOutcome run_forward(const Batch& batch) = 0;

 private:
  StepOutcome outcome_;
};

}  // namespace lockstep
