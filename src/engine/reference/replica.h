// replica.h: an engine with its arena and first values, ready to step; and a batch to step on.
//
// Everything is set and read in plain layout, so two replicas made by different engines can be
// filled alike and compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace lockstep {

using MakeEngine = std::unique_ptr<Engine> (*)(const Graph& graph, const EngineOptions& options);

class Replica {
 public:
  Replica(const Graph& graph, std::unique_ptr<Engine> engine);

  Engine& engine() { return *engine_; }
  ParameterArena& arena() { return *arena_; }
  // Values and gradients stay; the old engine is gone before the new one, of its kind, is made.
  void renew_engine(MakeEngine make, const EngineOptions& options);
  int parameter_count() const { return arena_->count(); }
  std::string parameter_name(ParameterId id) const { return engine_->parameters()[id].name; }

  // Random values of a size that keeps activations near one; the same for every engine.
  void fill(uint64_t seed);
  void copy_values_and_state_from(Replica& other);
  void set_plain(ParameterId id, std::span<const float> plain);
  std::vector<float> plain_values(ParameterId id) const;
  std::vector<float> plain_gradient(ParameterId id) const;

  StepOutcome step(const Batch& batch);                // forward and backward; values stay
  void descend(double rate);                           // values -= rate * gradient
  StepOutcome train(const Batch& batch, double rate);  // step, then descend

 private:
  std::vector<float> plain(ParameterId id, std::span<const float> stored) const;

  Graph graph_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ParameterArena> arena_;  // the engine keeps its address
};

// Images and labels that belong together.
struct Examples {
  std::vector<float> images;  // by channel plane
  std::vector<int32_t> labels;

  Batch batch() const { return {images, labels}; }
};

int classes_of(const Graph& graph);
Examples random_examples(const Graph& graph, int count, uint64_t seed);
// The same images by pixel.
std::vector<float> by_pixel(const Graph& graph, std::span<const float> by_plane);

// |a - b| and |a| as Euclidean norms.
double distance(std::span<const float> a, std::span<const float> b);
double norm(std::span<const float> a);

}  // namespace lockstep
