// size_fits.cpp: latency and rate by class of message sizes.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sim/calibrate/calibration.h"

namespace lockstep {
namespace {

constexpr double kClassEnds[] = {64 << 10, 1 << 20};
constexpr double kNoRate = 1e15;  // bytes per second where the times do not grow

// Least squares of relative errors: every time weighs 1 / seconds^2. Large messages never start
// faster than small ones: `least` is the latency of the class below.
SizeFit line_through(std::span<const AllReduceTime> times, double least) {
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (const AllReduceTime& each : times) {
    const double weight = 1 / (each.seconds * each.seconds);
    w += weight;
    wx += weight * each.bytes;
    wxx += weight * each.bytes * each.bytes;
    wy += weight * each.seconds;
    wxy += weight * each.bytes * each.seconds;
  }
  double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  double start = (wy - slope * wx) / w;
  if (start < least) {
    start = least;
    slope = (wxy - least * wx) / wxx;
  }
  if (slope <= 0) {  // flat: no rate can be seen
    slope = 1 / kNoRate;
    start = std::max(least, wy / w);
  }
  SizeFit fit{.up_to_bytes = times.back().bytes,
              .latency = start,
              .bytes_per_second = 1 / slope,
              .samples = static_cast<int>(times.size())};
  for (const AllReduceTime& each : times) {
    const double off = (start + slope * each.bytes) / each.seconds - 1;
    fit.residual += off * off;
  }
  fit.residual = std::sqrt(fit.residual / static_cast<double>(times.size()));
  return fit;
}

bool is_flat(const SizeFit& fit) { return fit.bytes_per_second > kNoRate / 2; }

// Of the times from `begin` to `end`. Neighbours share a point, so that classes meet.
SizeFit fit_of(std::span<const AllReduceTime> times, size_t begin, size_t end,
               std::span<const SizeFit> below) {
  const size_t first = begin > 0 ? begin - 1 : 0;
  const double least = below.empty() ? 0 : below.back().latency;
  return line_through(times.subspan(first, end - first), least);
}

}  // namespace

std::vector<SizeFit> fit_sizes(std::span<const AllReduceTime> times) {
  if (times.size() < 2) throw UsageError("a fit needs at least two sizes");
  std::vector<AllReduceTime> sorted(times.begin(), times.end());
  std::ranges::sort(sorted, {}, &AllReduceTime::bytes);
  std::vector<SizeFit> fits;
  std::vector<size_t> begins = {0};  // of each fit, and of the class that is open
  const auto close_class = [&](size_t end) {
    if (end - begins.back() < 2 && fits.empty()) return;  // fewer than two points make no line
    if (end == begins.back()) return;
    const bool last = end == sorted.size();
    SizeFit fit = fit_of(sorted, begins.back(), end, fits);
    if (is_flat(fit) && !last) return;  // noise hides its rate: the class above takes its points
    if (is_flat(fit) && !fits.empty()) {
      fits.pop_back();
      begins.pop_back();
      fit = fit_of(sorted, begins.back(), end, fits);
    }
    fits.push_back(fit);
    begins.push_back(end);
  };
  for (const double limit : kClassEnds) {
    const auto end =
        std::ranges::find_if(sorted, [&](const AllReduceTime& each) { return each.bytes > limit; });
    close_class(static_cast<size_t>(end - sorted.begin()));
  }
  close_class(sorted.size());
  return fits;
}

std::vector<SizeClass> hops_of(std::span<const SizeFit> fits, int ranks) {
  const double hops = 2.0 * (ranks - 1);
  std::vector<SizeClass> classes;
  for (const SizeFit& fit : fits) {
    classes.push_back({.up_to_mb = fit.up_to_bytes / ranks / 1e6,
                       .latency_us = 1e6 * fit.latency / hops,
                       .gbyte = 1e-9 * fit.bytes_per_second * hops / ranks});
  }
  return classes;
}

}  // namespace lockstep
