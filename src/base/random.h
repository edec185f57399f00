// random.h: random numbers that depend only on (seed, stream, index).
//
// Counter based: element i of a stream is a pure function, so any number of threads can fill any
// part of a tensor and the result is the same. The mixing function is SplitMix64's finaliser
// (Steele, Lea, Flood 2014).
#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t stream) : key_(mix(mix(seed) ^ (stream * kGolden))) {}

  uint64_t bits(uint64_t index) const { return mix(key_ + (index + 1) * kGolden); }
  uint64_t key() const { return key_; }  // for those who compute bits() elsewhere
  // In [0, 1), 24 bits.
  float uniform(uint64_t index) const { return static_cast<float>(bits(index) >> 40) * 0x1.0p-24f; }

  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

 private:
  uint64_t key_;
};

// Normal numbers with the given mean and deviation, none beyond two deviations.
void fill_truncated_normal(std::span<float> out, const RandomStream& random, double mean,
                           double deviation);

}  // namespace lockstep
