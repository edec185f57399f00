#include "data/pipeline/epoch_order.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace lockstep {
namespace {

constexpr size_t kGroupsPerWindow = 16;
constexpr uint64_t kGroups = 0x67727570, kExamples = 0x6578616d;  // streams of random numbers

// Fisher and Yates, with the stream's numbers from `draw` on.
template <typename T>
void shuffle(std::span<T> items, const RandomStream& random, uint64_t& draw) {
  for (size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.bits(draw++) % left]);
  }
}

struct Group {
  int64_t begin, end;
};

std::vector<Group> groups_of(const OrderOptions& options) {
  if (options.group_begins.empty()) return {{0, options.examples}};
  std::vector<Group> groups;
  for (size_t i = 0; i < options.group_begins.size(); ++i) {
    const bool last = i + 1 == options.group_begins.size();
    groups.push_back(
        {options.group_begins[i], last ? options.examples : options.group_begins[i + 1]});
  }
  return groups;
}

}  // namespace

std::vector<int64_t> order_of_epoch(const OrderOptions& options, int64_t epoch) {
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(options.examples));
  if (!options.shuffled) {
    order.resize(static_cast<size_t>(options.examples));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const uint64_t salt = RandomStream::mix(static_cast<uint64_t>(epoch) + 1);
  const RandomStream group_random(options.seed, kGroups ^ salt);
  const RandomStream example_random(options.seed, kExamples ^ salt);
  uint64_t group_draw = 0, example_draw = 0;
  std::vector<Group> groups = groups_of(options);
  shuffle(std::span(groups), group_random, group_draw);
  for (size_t first = 0; first < groups.size(); first += kGroupsPerWindow) {
    const size_t window_begin = order.size();
    for (size_t i = first; i < std::min(first + kGroupsPerWindow, groups.size()); ++i) {
      for (int64_t example = groups[i].begin; example < groups[i].end; ++example) {
        order.push_back(example);
      }
    }
    shuffle(std::span(order).subspan(window_begin), example_random, example_draw);
  }
  return order;
}

EpochOrder::EpochOrder(OrderOptions options, int64_t taken)
    : options_(std::move(options)), place_(taken + options_.rank) {
  assert(options_.examples > 0 && taken >= 0);
}

Turn EpochOrder::next() {
  const int64_t epoch = place_ / options_.examples;
  if (epoch != epoch_) {
    order_ = order_of_epoch(options_, epoch);
    epoch_ = epoch;
  }
  const Turn turn = {.place = place_,
                     .epoch = epoch,
                     .example = order_[static_cast<size_t>(place_ % options_.examples)]};
  place_ += options_.ranks;
  return turn;
}

}  // namespace lockstep
