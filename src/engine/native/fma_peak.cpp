#include "engine/native/fma_peak.h"

#include <omp.h>

#include <algorithm>

#include "base/time.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/fma_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::native::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains: more than latency times throughput of any core so far, and with the
// two constants still within sixteen registers. Returns the operations done.
double FmaBurst(int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, 0.999999f), b = hn::Set(d, 1e-6f);
  // Different beginnings: equal chains would be computed once.
  const auto start = [&](int i) HWY_ATTR { return hn::Set(d, 0.1f * static_cast<float>(i)); };
  auto x0 = start(0), x1 = start(1), x2 = start(2), x3 = start(3), x4 = start(4), x5 = start(5);
  auto x6 = start(6), x7 = start(7), x8 = start(8), x9 = start(9), xa = start(10), xb = start(11);
  for (int64_t i = 0; i < rounds; ++i) {
    x0 = hn::MulAdd(x0, a, b);
    x1 = hn::MulAdd(x1, a, b);
    x2 = hn::MulAdd(x2, a, b);
    x3 = hn::MulAdd(x3, a, b);
    x4 = hn::MulAdd(x4, a, b);
    x5 = hn::MulAdd(x5, a, b);
    x6 = hn::MulAdd(x6, a, b);
    x7 = hn::MulAdd(x7, a, b);
    x8 = hn::MulAdd(x8, a, b);
    x9 = hn::MulAdd(x9, a, b);
    xa = hn::MulAdd(xa, a, b);
    xb = hn::MulAdd(xb, a, b);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)),
                           hn::Add(hn::Add(hn::Add(x4, x5), hn::Add(x6, x7)),
                                   hn::Add(hn::Add(x8, x9), hn::Add(xa, xb))));
  *sink = hn::GetLane(sum);
  return 24.0 * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace lockstep::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {
namespace native {

HWY_EXPORT(FmaBurst);

// Operations per second of all threads together, from when the first begins to when the last ends:
// threads that share a core do not count it twice.
double burst(int threads, int64_t rounds) {
  double operations = 0;
  TimePoint begin = TimePoint::max(), end = TimePoint::min();
#pragma omp parallel num_threads(threads)
  {
    float sink = 0;
#pragma omp barrier
    const TimePoint mine = Clock::now();
    const double done = HWY_DYNAMIC_DISPATCH(FmaBurst)(rounds, &sink);
    const TimePoint finished = Clock::now();
#pragma omp critical
    {
      operations += done + (sink == -1 ? 1 : 0);
      begin = std::min(begin, mine);
      end = std::max(end, finished);
    }
  }
  return operations / Seconds(end - begin).count();
}

}  // namespace native

double measured_fma_peak(int threads) {
  constexpr int kBursts = 40;
  constexpr int64_t kRounds = 1'000'000;  // 6 million cycles: about 2 ms
  double best = 0;
  for (int i = 0; i < kBursts; ++i) best = std::max(best, native::burst(threads, kRounds));
  return best / 1e9;
}

}  // namespace lockstep
#endif
