#include "sweep/order.h"

#include <numeric>
#include <utility>

#include "base/random.h"

namespace lockstep {

// Fisher and Yates.
std::vector<size_t> order_of_round(size_t runs, int round, uint64_t seed) {
  std::vector<size_t> order(runs);
  std::iota(order.begin(), order.end(), size_t{0});
  const RandomStream random(seed, static_cast<uint64_t>(round));
  for (size_t i = runs; i > 1; --i) std::swap(order[i - 1], order[random.bits(i) % i]);
  return order;
}

}  // namespace lockstep
