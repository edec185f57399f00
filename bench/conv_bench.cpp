// Every way to compute a convolution, on shapes of ResNet-50, VGG-16 and Inception v3: operations
// per second, counted as those of direct convolution. OMP_NUM_THREADS says on how many threads.
//   bench_conv --benchmark_filter='256@14.*winograd'
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "engine/native/conv_trial.h"
#include "engine/native/gradient_sum.h"
#include "nn/infer_shape.h"

namespace lockstep::native {
namespace {

struct Subject {
  int inputs, outputs, side;
  Extent kernel;
  int stride = 1;
  Padding padding = Padding::Same;
};

constexpr int kBatch = 16;
constexpr Subject kSubjects[] = {
    {64, 64, 56, 3},
    {128, 128, 28, 3},
    {256, 256, 14, 3},
    {512, 512, 7, 3},
    {64, 64, 224, 3},
    {128, 128, 112, 3},
    {256, 256, 56, 3},
    {512, 512, 28, 3},
    {512, 512, 14, 3},
    {64, 96, 35, 3},
    {32, 64, 147, 3},
    {48, 64, 35, 5},
    {192, 192, 17, {1, 7}},
    {192, 192, 17, {7, 1}},
    {384, 384, 8, {1, 3}},
    {384, 384, 8, {3, 1}},
    {288, 384, 35, 3, 2, Padding::Valid},
    {256, 64, 56, 1},
    {64, 256, 56, 1},
    {1024, 256, 14, 1},
    {256, 1024, 14, 1},
    {2048, 512, 7, 1},
    {512, 1024, 28, 1, 2},
};

ConvWork work_for(const Device& device, const Subject& subject, ConvDirection direction) {
  const Layout layout = {kBatch, preferred_block(), ImageLayout::Nchw};
  const Shape input = {subject.inputs, subject.side, subject.side};
  const Conv layer = {.filters = subject.outputs,
                      .kernel = subject.kernel,
                      .stride = subject.stride,
                      .padding = subject.padding,
                      .bias = false};
  const Inferred inferred = infer_shape("conv", layer, std::vector<Shape>{input});
  const ConvProblem problem = {.layer = layer,
                               .pads = inferred.pads,
                               .input = input,
                               .output = inferred.output,
                               .batch = kBatch,
                               .bias = false,
                               .inference = false,
                               .source = layout.describe(input, Format::Blocked),
                               .destination = layout.describe(inferred.output, Format::Blocked)};
  return {direction, problem, make_direct_forward(device, problem)->weights(), kUnbounded};
}

double operations(const ConvProblem& problem) {
  return 2.0 * kBatch * static_cast<double>(problem.output.elements()) *
         static_cast<double>(problem.input.channels()) * problem.layer.kernel.height *
         problem.layer.kernel.width;
}

void measure(benchmark::State& state, const Subject& subject, ConvDirection direction,
             const ConvMethod& method) {
  const Device device;
  const ConvWork work = work_for(device, subject, direction);
  if (!method.fits(work)) return state.SkipWithError("does not fit");
  ConvTrial trial(work, method.make(device, work));
  for (auto _ : state) trial.run();
  state.counters["FLOP/s"] =
      benchmark::Counter(operations(work.problem), benchmark::Counter::kIsIterationInvariantRate);
}

bool fits(const ConvMethod& method, const Subject& subject, ConvDirection direction) {
  return method.fits(work_for(Device(), subject, direction));
}

void add_all() {
  constexpr std::string_view kDirections[] = {"forward", "data", "weights"};
  for (const Subject& subject : kSubjects) {
    for (int d = 0; d < 3; ++d) {
      const auto direction = static_cast<ConvDirection>(d);
      for (const ConvMethod& method : conv_methods()) {
        if (!fits(method, subject, direction)) continue;
        const std::string name =
            fmt::format("{}-{}@{} {}x{}/{} {} {}", subject.inputs, subject.outputs, subject.side,
                        subject.kernel.height, subject.kernel.width, subject.stride, kDirections[d],
                        method.name);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [=, &method](benchmark::State& state) { measure(state, subject, direction, method); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::native

int main(int count, char** words) {
  lockstep::native::add_all();
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
}
