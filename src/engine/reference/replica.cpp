#include "engine/reference/replica.h"

#include <cassert>
#include <cmath>

#include "base/random.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

std::unique_ptr<ParameterArena> arena_for(const Engine& engine) {
  std::vector<int64_t> sizes;
  for (const ParameterInfo& info : engine.parameters()) sizes.push_back(info.stored_floats);
  return std::make_unique<ParameterArena>(sizes, engine.backward_order());
}

double centre_of(ParameterRole role) { return role == ParameterRole::Gamma ? 1 : 0; }

double deviation_of(const ParameterSpec& spec) {
  if (spec.role != ParameterRole::Kernel) return 0.3;
  return std::sqrt(2.0 * static_cast<double>(spec.shape[0]) /
                   static_cast<double>(spec.shape.elements()));
}

}  // namespace

Replica::Replica(const Graph& graph, std::unique_ptr<Engine> engine)
    : graph_(graph), engine_(std::move(engine)), arena_(arena_for(*engine_)) {
  engine_->bind(*arena_);
}

void Replica::renew_engine(MakeEngine make, const EngineOptions& options) {
  engine_.reset();
  engine_ = make(graph_, options);
  engine_->bind(*arena_);
  for (ParameterId id = 0; id < parameter_count(); ++id) engine_->values_changed(id);
}

void Replica::fill(uint64_t seed) {
  for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph_)) {
    std::vector<float> values(spec.shape.elements());
    fill_truncated_normal(values, RandomStream(seed, id), centre_of(spec.role), deviation_of(spec));
    set_plain(id++, values);
  }
}

void Replica::copy_values_and_state_from(Replica& other) {
  for (ParameterId id = 0; id < parameter_count(); ++id) set_plain(id, other.plain_values(id));
  const std::span<const StateInfo> to = engine_->state(), from = other.engine().state();
  assert(to.size() == from.size());
  for (size_t i = 0; i < to.size(); ++i) {
    assert(to[i].name == from[i].name && to[i].values.size() == from[i].values.size());
    std::copy(from[i].values.begin(), from[i].values.end(), to[i].values.begin());
  }
  engine_->state_changed();
}

void Replica::set_plain(ParameterId id, std::span<const float> plain) {
  engine_->write_plain(id, plain, arena_->values(id));
  engine_->values_changed(id);
}

std::vector<float> Replica::plain_values(ParameterId id) const {
  return plain(id, arena_->values(id));
}

std::vector<float> Replica::plain_gradient(ParameterId id) const {
  return plain(id, arena_->gradient(id));
}

std::vector<float> Replica::plain(ParameterId id, std::span<const float> stored) const {
  std::vector<float> result(engine_->parameters()[id].shape.elements());
  engine_->read_plain(id, stored, result);
  return result;
}

StepOutcome Replica::step(const Batch& batch) {
  const StepOutcome outcome = engine_->forward(batch);
  engine_->backward([](ParameterId) {});
  return outcome;
}

void Replica::descend(double rate) {
  for (ParameterId id = 0; id < parameter_count(); ++id) {
    const std::span<float> values = arena_->values(id);
    const std::span<const float> gradient = arena_->gradient(id);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] -= static_cast<float>(rate * gradient[i]);
    }
    engine_->values_changed(id);
  }
}

StepOutcome Replica::train(const Batch& batch, double rate) {
  const StepOutcome outcome = step(batch);
  descend(rate);
  return outcome;
}

int classes_of(const Graph& graph) {
  const Node& loss = graph.nodes().back();
  assert(std::holds_alternative<SoftmaxLoss>(loss.layer));
  return static_cast<int>(graph.shape(loss.inputs[0]).elements());
}

Examples random_examples(const Graph& graph, int count, uint64_t seed) {
  const RandomStream pixels(seed, 1), labels(seed, 2);
  Examples examples;
  for (int64_t i = 0; i < count * graph.shape(graph.image()).elements(); ++i) {
    examples.images.push_back(2 * pixels.uniform(i) - 1);
  }
  for (int i = 0; i < count; ++i) {
    examples.labels.push_back(static_cast<int32_t>(labels.bits(i) % classes_of(graph)));
  }
  return examples;
}

std::vector<float> by_pixel(const Graph& graph, std::span<const float> by_plane) {
  const Shape& image = graph.shape(graph.image());
  const int64_t channels = image.channels(), size = image.elements(), pixels = size / channels;
  std::vector<float> result(by_plane.size());
  for (int64_t i = 0; i < static_cast<int64_t>(by_plane.size()); ++i) {
    const int64_t n = i / size, c = i % size / pixels, pixel = i % pixels;
    result[n * size + pixel * channels + c] = by_plane[i];
  }
  return result;
}

double distance(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  double squares = 0;
  for (size_t i = 0; i < a.size(); ++i) squares += std::pow(static_cast<double>(a[i]) - b[i], 2);
  return std::sqrt(squares);
}

double norm(std::span<const float> a) {
  double squares = 0;
  for (const float x : a) squares += static_cast<double>(x) * x;
  return std::sqrt(squares);
}

}  // namespace lockstep
