// resample.h: weights for resizing one axis: output x is a weighted sum of a few neighbouring
// inputs. Methods and sampling positions are those of tf_cnn_benchmarks: output x samples at
// x * scale, without pixel centring.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

enum class ResizeMethod { Nearest, Bilinear, Bicubic, Area };

struct NamedMethod {
  std::string_view name;
  ResizeMethod method;
};
std::span<const NamedMethod> resize_methods();

// Sampling positions: output x samples at (first + x) * inputs / virtual_outputs.
struct AxisSpec {
  int inputs = 0;           // there are
  int outputs = 0;          // wanted
  int virtual_outputs = 0;  // that the inputs as a whole would be resized to
  int first = 0;            // of the virtual outputs, the first wanted one
  bool mirrored = false;    // outputs in reverse order
};

// Every output has the same number of taps; those beyond its own have weight 0.
struct ResampleAxis {
  int outputs = 0, taps = 0;
  std::vector<int32_t> begin;  // by output: its first input; begin + taps never leaves the inputs
  std::vector<float> weights;  // by tap, then by output

  float weight(int output, int tap) const {
    return weights[static_cast<size_t>(tap) * static_cast<size_t>(outputs) +
                   static_cast<size_t>(output)];
  }
};

// Reuses the memory of `axis`.
void make_axis(const AxisSpec& spec, ResizeMethod method, ResampleAxis& axis);

}  // namespace lockstep
