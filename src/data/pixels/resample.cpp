#include "data/pixels/resample.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep {
namespace {

constexpr NamedMethod kMethods[] = {{"bilinear", ResizeMethod::Bilinear},
                                    {"nearest", ResizeMethod::Nearest},
                                    {"bicubic", ResizeMethod::Bicubic},
                                    {"area", ResizeMethod::Area}};

// Keys' cubic with a = -0.75, at the four distances of a place between two inputs.
std::array<double, 4> cubic_weights(double fraction) {
  constexpr double kA = -0.75;
  const auto near = [](double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
  return {far(1 + fraction), near(fraction), near(1 - fraction), far(2 - fraction)};
}

// Calls add(input, weight) for all inputs of one output; inputs may lie outside.
template <typename Add>
void visit_taps(ResizeMethod method, double place, double scale, const Add& add) {
  const int below = static_cast<int>(std::floor(place));
  const double fraction = place - below;
  switch (method) {
    case ResizeMethod::Nearest:
      return add(below, 1.0);
    case ResizeMethod::Bilinear:
      add(below, 1 - fraction);
      return add(below + 1, fraction);
    case ResizeMethod::Bicubic: {
      const std::array<double, 4> weights = cubic_weights(fraction);
      for (int i = 0; i < 4; ++i) add(below - 1 + i, weights[static_cast<size_t>(i)]);
      return;
    }
    case ResizeMethod::Area: {
      const double end = place + scale;
      for (int i = below; i < end; ++i) {
        add(i, (std::min<double>(i + 1, end) - std::max<double>(i, place)) / scale);
      }
    }
  }
}

}  // namespace

std::span<const NamedMethod> resize_methods() { return kMethods; }

void make_axis(const AxisSpec& spec, ResizeMethod method, ResampleAxis& axis) {
  const double scale = static_cast<double>(spec.inputs) / spec.virtual_outputs;
  const auto inside = [&](int input) { return std::clamp(input, 0, spec.inputs - 1); };
  const auto place_of = [&](int x) {
    return (spec.first + (spec.mirrored ? spec.outputs - 1 - x : x)) * scale;
  };
  axis.outputs = spec.outputs;
  axis.taps = 1;
  axis.begin.assign(static_cast<size_t>(spec.outputs), spec.inputs);
  for (int x = 0; x < spec.outputs; ++x) {
    int32_t& begin = axis.begin[static_cast<size_t>(x)];
    visit_taps(method, place_of(x), scale, [&](int input, double) {
      begin = std::min(begin, inside(input));
      axis.taps = std::max(axis.taps, inside(input) - begin + 1);
    });
  }
  axis.weights.assign(static_cast<size_t>(axis.taps) * axis.begin.size(), 0);
  for (int x = 0; x < spec.outputs; ++x) {
    int32_t& begin = axis.begin[static_cast<size_t>(x)];
    begin = std::min(begin, spec.inputs - axis.taps);
    visit_taps(method, place_of(x), scale, [&](int input, double weight) {
      const int tap = inside(input) - begin;
      axis.weights[static_cast<size_t>(tap) * static_cast<size_t>(spec.outputs) +
                   static_cast<size_t>(x)] += static_cast<float>(weight);
    });
  }
}

}  // namespace lockstep
