#include "nn/initial_values.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/fnv1a.h"
#include "base/random.h"

namespace lockstep {
namespace {

// Deviation of a standard normal cut off at two: dividing by it gives the wanted variance.
constexpr double kCutNormalDeviation = 0.87962566103423978;

struct Start {
  double deviation = 0;  // of a kernel
  double bias = 0;
};

struct FindStart {
  int64_t fan_in;  // inputs that one output sums

  Start operator()(const Conv& conv) const {
    const double scaled = std::sqrt(1.0 / static_cast<double>(fan_in)) / kCutNormalDeviation;
    return {conv.stddev.value_or(scaled), conv.initial_bias};
  }
  Start operator()(const Dense& dense) const {
    const double scaled = std::sqrt(dense.gain / static_cast<double>(fan_in));
    return {dense.stddev.value_or(scaled), dense.initial_bias};
  }
  Start operator()(const auto&) const { return {}; }
};

Start start_of(const Graph& graph, const ParameterSpec& parameter) {
  const int64_t fan_in = parameter.shape.elements() / parameter.shape[0];
  return std::visit(FindStart{fan_in}, graph.node(parameter.node).layer);
}

// A stream of random numbers per name, the same on every machine.
uint64_t stream_of(std::string_view name) { return fnv1a(name); }

}  // namespace

std::optional<double> initial_deviation(const Graph& graph, const ParameterSpec& parameter) {
  if (parameter.role != ParameterRole::Kernel) return {};
  return start_of(graph, parameter).deviation;
}

void fill_initial_values(const Graph& graph, const ParameterSpec& parameter, uint64_t seed,
                         std::span<float> values) {
  assert(static_cast<int64_t>(values.size()) == parameter.shape.elements());
  const Start start = start_of(graph, parameter);
  const auto constant = [&](double value) { std::ranges::fill(values, static_cast<float>(value)); };
  switch (parameter.role) {
    case ParameterRole::Kernel:
      fill_truncated_normal(values, RandomStream(seed, stream_of(parameter.name)), 0,
                            start.deviation);
      break;
    case ParameterRole::Bias:
      constant(start.bias);
      break;
    case ParameterRole::Gamma:
      constant(1);
      break;
    case ParameterRole::Beta:
      constant(0);
      break;
  }
}

}  // namespace lockstep
