#include "engine/native/native_engine.h"

#include <hwy/highway.h>

#include <cassert>
#include <dnnl.hpp>

#include "base/error.h"
#include "base/fnv1a.h"
#include "engine/native/lowering.h"
#include "engine/native/threads.h"
#include "nn/parameters.h"
#include "tensor/memory.h"

namespace lockstep {
namespace native {
namespace {

class NativeEngine : public HostEngine {
 public:
  NativeEngine(const Graph& graph, const EngineOptions& options)
      : options_(options),
        layout_{options.batch, preferred_block(), options.layout},
        planner_(layout_) {
    prepare_threads(options.threads);
    const auto chooser = make_rule_chooser(options.convolution, options_.conv_choices);
    lowered_ = lower(graph, options, layout_, device_, *chooser);
    collect_parameters(graph);
    plan();
    for (const auto& op : lowered_.ops) infos_.push_back(op->info());
  }

  std::span<const ParameterInfo> parameters() const override { return parameters_; }
  std::span<const ParameterId> backward_order() const override { return backward_order_; }
  uint64_t layout_fingerprint() const override;
  std::span<const StateInfo> state() override { return lowered_.state_infos; }
  std::span<const OpInfo> ops() const override { return infos_; }
  void observe(OpObserver* observer) override { observer_ = observer; }
  int64_t memory_bytes() const override { return planned_bytes_ + own_bytes_; }

  void bind(ParameterArena& arena) override {
    memory_ = Memory(planned_bytes_);
    const Addresses addresses(planner_, memory_.data(), arena);
    for (const auto& op : lowered_.ops) op->bind(addresses);
  }

  StepOutcome run_forward(const Batch& batch) override {
    assert(batch.size() == options_.batch);
    use_threads(options_.threads);  // kernels depend on this number; another engine may use another
    context_ = {.batch = &batch, .step = forwards_++, .outcome = {}};
    const int count = static_cast<int>(lowered_.ops.size());
    for (int i = 0; i < count; ++i) {
      timed(i, Pass::Forward, [&] { lowered_.ops[i]->forward(context_); });
    }
    return context_.outcome;
  }

  void backward(const GradientReady& ready) override {
    use_threads(options_.threads);
    for (int i = static_cast<int>(lowered_.ops.size()) - 1; i >= 0; --i) {
      timed(i, Pass::Backward, [&] { lowered_.ops[i]->backward(context_); });
      for (const ParameterId id : parameters_of_op_[i]) ready(id);
    }
  }

  void values_changed(ParameterId id) override { lowered_.ops[op_of_[id]]->values_changed(id); }
  void count_from(int64_t step) override { forwards_ = step; }
  void state_changed() override {
    for (const auto& op : lowered_.ops) op->state_changed();
  }

  void read_plain(ParameterId id, std::span<const float> stored,
                  std::span<float> plain) const override {
    reorder(device_, stored_[id].stored, stored.data(), stored_[id].plain, plain.data());
  }
  void write_plain(ParameterId id, std::span<const float> plain,
                   std::span<float> stored) const override {
    reorder(device_, stored_[id].plain, plain.data(), stored_[id].stored, stored.data());
  }

 private:
  void collect_parameters(const Graph& graph) {
    const std::vector<ParameterSpec> specs = parameters_of(graph);
    stored_.resize(specs.size());
    op_of_.resize(specs.size());
    parameters_of_op_.resize(lowered_.ops.size());
    for (int op = static_cast<int>(lowered_.ops.size()) - 1; op >= 0; --op) {
      for (StoredParameter& stored : lowered_.ops[op]->parameters()) {
        backward_order_.push_back(stored.id);
        parameters_of_op_[op].push_back(stored.id);
        op_of_[stored.id] = op;
        stored_[stored.id] = std::move(stored);
      }
    }
    assert(backward_order_.size() == specs.size());
    for (size_t id = 0; id < specs.size(); ++id) {
      const auto bytes = static_cast<int64_t>(stored_[id].stored.get_size());
      parameters_.push_back({.name = specs[id].name,
                             .shape = specs[id].shape,
                             .stored_floats = bytes / static_cast<int64_t>(sizeof(float)),
                             .decays = specs[id].decays});
    }
  }

  void plan() {
    int tick = 0;
    for (const auto& op : lowered_.ops) {
      planner_.set_tick(tick++);
      op->plan_forward(planner_);
      own_bytes_ += op->own_bytes();
    }
    if (options_.mode == Mode::Training) {
      for (auto op = lowered_.ops.rbegin(); op != lowered_.ops.rend(); ++op) {
        planner_.set_tick(tick++);
        (*op)->plan_backward(planner_);
      }
    }
    planned_bytes_ = planner_.place();
  }

  template <typename Work>
  void timed(int op, Pass pass, const Work& work) {
    if (!observer_) return work();
    const TimePoint begin = Clock::now();
    work();
    observer_->executed(op, pass, begin, Clock::now());
  }

  EngineOptions options_;
  Layout layout_;
  Device device_;
  Planner planner_;
  Lowered lowered_;
  Memory memory_;
  int64_t planned_bytes_ = 0, own_bytes_ = 0;

  std::vector<ParameterInfo> parameters_;
  std::vector<StoredParameter> stored_;  // by id
  std::vector<int> op_of_;               // by id
  std::vector<std::vector<ParameterId>> parameters_of_op_;
  std::vector<ParameterId> backward_order_;
  std::vector<OpInfo> infos_;

  OpObserver* observer_ = nullptr;  // borrowed
  StepContext context_;
  int64_t forwards_ = 0;
};

// Of everything that says where an element of a parameter lies.
uint64_t NativeEngine::layout_fingerprint() const {
  Fnv1a hash;
  const auto add = [&](auto number) { hash.add(static_cast<uint64_t>(number)); };
  for (const StoredParameter& parameter : stored_) {
    const dnnl_memory_desc_t& desc = parameter.stored.data;
    const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
    for (int axis = 0; axis < desc.ndims; ++axis) {
      add(desc.padded_dims[axis]);
      add(blocking.strides[axis]);
    }
    for (int i = 0; i < blocking.inner_nblks; ++i) {
      add(blocking.inner_idxs[i]);
      add(blocking.inner_blks[i]);
    }
  }
  return hash.value();
}

std::string isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "SSE4.1";
    case dnnl::cpu_isa::avx:
      return "AVX";
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx2_vnni:
      return "AVX2-VNNI";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "AVX-512-VNNI";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "AVX-512-BF16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "AMX";
    default:
      return "default";
  }
}

}  // namespace
}  // namespace native

std::unique_ptr<Engine> make_native_engine(const Graph& graph, const EngineOptions& options) {
  if (options.device != "cpu") {
    throw UsageError("--device {}: --engine native supports cpu only; use --engine torch",
                     options.device);
  }
  return std::make_unique<native::NativeEngine>(graph, options);
}

std::string native_library_versions() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{} ({}), Highway {}.{}.{} ({})", version->major, version->minor,
                     version->patch, native::isa_name(dnnl::get_effective_cpu_isa()), HWY_MAJOR,
                     HWY_MINOR, HWY_PATCH,
                     hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets()));
}

}  // namespace lockstep
