#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "measure/two_samples.h"

namespace lockstep {
namespace {

constexpr size_t kLargestExact = 60;  // samples together
constexpr double kZ95 = 1.959963984540054;

double upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

// Twice the rank of each sample, in the order given: equal samples share the mean of their ranks,
// and twice a mean of neighbouring whole numbers is whole.
std::vector<int64_t> doubled_ranks(const std::vector<double>& samples) {
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return samples[i]; });
  std::vector<int64_t> ranks(samples.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && samples[order[end]] == samples[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<int64_t>(begin + end + 1);
  }
  return ranks;
}

// How many ways there are to choose `count` of the ranks with each sum: ways[sum].
std::vector<double> ways_by_sum(const std::vector<int64_t>& ranks, size_t count) {
  const auto most = static_cast<size_t>(std::accumulate(ranks.begin(), ranks.end(), int64_t{0}));
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (const int64_t signed_rank : ranks) {
    const auto rank = static_cast<size_t>(signed_rank);
    for (size_t chosen = count; chosen >= 1; --chosen) {
      for (size_t sum = most; sum >= rank; --sum) ways[chosen][sum] += ways[chosen - 1][sum - rank];
    }
  }
  return ways[count];
}

double exact_p(const std::vector<int64_t>& ranks, size_t count, double sum) {
  const std::vector<double> ways = ways_by_sum(ranks, count);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  const double centre = static_cast<double>(count * (ranks.size() + 1));  // of doubled ranks
  double as_far = 0;
  for (size_t i = 0; i < ways.size(); ++i) {
    const bool far = std::abs(static_cast<double>(i) - centre) >= std::abs(sum - centre);
    if (far) as_far += ways[i];
  }
  return std::min(1.0, as_far / all);
}

// With the correction for ties, and for ranks being whole numbers.
double normal_p(const std::vector<double>& together, double u, double pairs) {
  std::vector<double> sorted = together;
  std::ranges::sort(sorted);
  const double n = static_cast<double>(sorted.size());
  double ties = 0;
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    const double t = static_cast<double>(end - begin);
    ties += t * t * t - t;
  }
  const double variance = pairs / 12 * ((n + 1) - ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(u - pairs / 2) - 0.5);
  return std::min(1.0, 2 * upper_tail(distance / std::sqrt(variance)));
}

// The largest k with P(U <= k - 1) <= 2.5 % when there are no ties; 0 when there is none.
size_t rank_of_limit(size_t first, size_t second) {
  const double pairs = static_cast<double>(first * second);
  const size_t n = first + second;
  if (n > kLargestExact) {
    const double spread = std::sqrt(pairs * static_cast<double>(n + 1) / 12);
    return static_cast<size_t>(std::max(0.0, std::floor(pairs / 2 - kZ95 * spread)));
  }
  std::vector<int64_t> ranks(n);
  for (size_t i = 0; i < n; ++i) ranks[i] = static_cast<int64_t>(i + 1);
  const std::vector<double> ways = ways_by_sum(ranks, second);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  const size_t least_sum = second * (second + 1) / 2;
  double below = 0;
  size_t k = 0;
  while ((below += ways[least_sum + k]) <= 0.025 * all) ++k;
  return k;
}

}  // namespace

RankTest mann_whitney(Samples first, Samples second) {
  std::vector<double> together(second.begin(), second.end());
  together.insert(together.end(), first.begin(), first.end());
  const std::vector<int64_t> ranks = doubled_ranks(together);
  const double sum = static_cast<double>(std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(second.size()), int64_t{0}));
  const double least = static_cast<double>(second.size() * (second.size() + 1));
  RankTest test = {.u = (sum - least) / 2, .p = 1, .exact = together.size() <= kLargestExact};
  const double pairs = static_cast<double>(first.size() * second.size());
  test.p = test.exact ? exact_p(ranks, second.size(), sum) : normal_p(together, test.u, pairs);
  return test;
}

Shift hodges_lehmann(Samples first, Samples second) {
  std::vector<double> differences;
  differences.reserve(first.size() * second.size());
  for (const double a : first) {
    for (const double b : second) differences.push_back(b - a);
  }
  std::ranges::sort(differences);
  Shift shift = {.middle = median(differences), .interval_95 = {}};
  const size_t k = rank_of_limit(first.size(), second.size());
  if (k > 0) shift.interval_95 = {differences[k - 1], differences[differences.size() - k]};
  return shift;
}

}  // namespace lockstep
