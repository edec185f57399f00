// layers.h: what a layer is: plain values, no memory, no code. A closed set: code that handles
// layers visits the variant, so a new one does not build until every visitor knows it.
#pragma once

#include <limits>
#include <optional>
#include <variant>

namespace lockstep {

// Height and width of a window; one number means a square.
struct Extent {
  int height, width;
  constexpr Extent(int side) : height(side), width(side) {}  // NOLINT: a side is an extent
  constexpr Extent(int h, int w) : height(h), width(w) {}
  bool operator==(const Extent&) const = default;
};

// Same: output = ceil(input / stride), the odd pixel of padding goes after. Valid: none.
// SameResnet: as Same for stride 1; else (kernel-1)/2 before and the rest after, whatever the
// input.
enum class Padding { Same, Valid, SameResnet };

struct Pads {
  int top = 0, bottom = 0, left = 0, right = 0;
  bool operator==(const Pads&) const = default;
};

struct Image {};  // the network's input

struct Conv {
  int filters = 0;  // output channels; a depthwise convolution has one filter per input channel
  Extent kernel = 1;
  int stride = 1;
  Padding padding = Padding::Same;
  bool bias = true;
  bool depthwise = false;
  std::optional<double> stddev = {};  // of the initial kernel; absent: variance scaling by fan-in
  double initial_bias = 0;
};

struct Pool {
  enum Kind { Max, Average } kind = Max;  // the average leaves padding out of its divisor
  Extent window = 2;
  int stride = 2;
  Padding padding = Padding::Valid;
};

struct Dense {
  int units = 0;
  std::optional<double> stddev = {};  // of the initial kernel; absent: sqrt(gain / fan-in)
  double gain = 1;                    // 2 in front of a ReLU
  double initial_bias = 0;
};

struct BatchNorm {
  double decay = 0.999;  // of the moving averages
  double epsilon = 1e-3;
  bool scale = false;  // has gamma; beta it always has
};

struct Lrn {
  int radius = 4;  // x / (bias + alpha * sum over +-radius channels of x^2) ^ beta
  double bias = 1, alpha = 1, beta = 0.75;
};

struct Relu {
  float ceiling = std::numeric_limits<float>::infinity();  // 6 makes it a ReLU6
};

struct Dropout {
  double keep = 0.5;  // kept values are divided by this
};

struct Add {};
struct Concat {};             // along channels
struct GlobalAveragePool {};  // over the image: channels x h x w -> channels
struct PadChannels {
  int before = 0, after = 0;  // channels of zeros
};
struct SoftmaxLoss {
  double weight = 1;  // of this head in the network's loss
};

using Layer = std::variant<Image, Conv, Pool, Dense, BatchNorm, Lrn, Relu, Dropout, Add, Concat,
                           GlobalAveragePool, PadChannels, SoftmaxLoss>;

}  // namespace lockstep
