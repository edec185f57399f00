// What an image costs after decoding: the weights of its two axes, and resizing with normalising.
#include <benchmark/benchmark.h>

#include "data/pixels/pixel_kernels.h"

namespace lockstep {
namespace {

void weights(benchmark::State& state) {
  ResampleAxis axis;
  for (auto _ : state) {
    make_axis({.inputs = static_cast<int>(state.range(0)), .outputs = 224, .virtual_outputs = 224},
              ResizeMethod::Bilinear, axis);
    benchmark::DoNotOptimize(axis.weights.data());
  }
}
BENCHMARK(weights)->Arg(300);

void resize(benchmark::State& state) {
  const int side = static_cast<int>(state.range(0));
  const ByteBuffer pixels(static_cast<size_t>(3 * side * side), 99);
  std::vector<float> out(3 * 224 * 224), row;
  ResampleAxis axis;
  make_axis({.inputs = side, .outputs = 224, .virtual_outputs = 224}, ResizeMethod::Bilinear, axis);
  for (auto _ : state) {
    resize_image({pixels.data(), side, side, 3, int64_t{3} * side}, axis, axis, {},
                 {out.data(), 224, 224, 3, state.range(1) != 0}, row);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(resize)->Args({150, 0})->Args({300, 0})->Args({440, 0})->Args({300, 1});

}  // namespace
}  // namespace lockstep
