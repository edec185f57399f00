// op.h: one operation of the native engine: a layer, or several fused into one.
//
// Its life: the constructor chooses kernels; plan_* say which memory it touches, in execution
// order; bind compiles the kernels and resolves addresses; forward and backward only run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/native/planner.h"

namespace lockstep::native {

// How the engine stores one parameter, and its plain form.
struct StoredParameter {
  ParameterId id;
  dnnl::memory::desc stored;
  dnnl::memory::desc plain;
};

// Resolves what the plan decided. Borrowed by bind() only.
class Addresses {
 public:
  Addresses(const Planner& planner, std::byte* base, const ParameterArena& arena)
      : planner_(planner), base_(base), arena_(arena) {}

  float* at(const View& view) const { return floats(view.buffer) + view.start; }
  float* floats(BufferId buffer) const { return reinterpret_cast<float*>(bytes(buffer)); }
  std::byte* bytes(BufferId buffer) const {
    return buffer == kNoBuffer ? nullptr : base_ + planner_.offset(buffer);
  }
  float* values(ParameterId id) const { return arena_.values(id).data(); }
  float* gradient(ParameterId id) const { return arena_.gradient(id).data(); }

 private:
  const Planner& planner_;
  std::byte* base_;
  const ParameterArena& arena_;
};

struct StepContext {
  const Batch* batch = nullptr;
  int64_t step = 0;  // forward calls so far
  StepOutcome outcome;
};

class Op {
 public:
  explicit Op(OpInfo info) : info_(std::move(info)) {}
  virtual ~Op() = default;
  Op(const Op&) = delete;

  const OpInfo& info() const { return info_; }
  virtual std::vector<StoredParameter> parameters() const { return {}; }
  virtual int64_t own_bytes() const { return 0; }  // besides what is planned

  virtual void plan_forward(Planner& planner) = 0;
  virtual void plan_backward(Planner& planner) = 0;
  virtual void bind(const Addresses& addresses) = 0;
  virtual void forward(StepContext& step) = 0;
  virtual void backward(StepContext& step) = 0;
  virtual void values_changed(ParameterId) {}
  virtual void state_changed() {}

 protected:
  void note_kernel(const std::string& kernel) { info_.kernel = kernel; }

 private:
  OpInfo info_;
};

}  // namespace lockstep::native
