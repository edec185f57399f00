// initial_values.h: the values that training starts from, in plain layout.
//
// They depend on the seed and the parameter's name and shape alone: not on the order in which
// parameters are filled, nor on the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "nn/graph.h"
#include "nn/parameters.h"

namespace lockstep {

// `values`: parameter.shape.elements() floats.
void fill_initial_values(const Graph& graph, const ParameterSpec& parameter, uint64_t seed,
                         std::span<float> values);

// Standard deviation of the normal distribution, cut off at twice that, which a kernel is drawn
// from. Absent for what starts constant.
std::optional<double> initial_deviation(const Graph& graph, const ParameterSpec& parameter);

}  // namespace lockstep
