#include "report/analysis/slow_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr double kNearlyAs = 0.5;  // of the cost of the worst
constexpr double kFarLess = 0.25;  // the same
constexpr double kOften = 1.5;     // times as often as the mean rank,
constexpr double kAlways = 0.9;    // or in this part of the steps
constexpr size_t kMostNamed = 3;

double cost_of(std::span<const LateRank> late) {
  double sum = 0;
  for (const LateRank& each : late) sum += each.cost();
  return sum;
}

// In which a mean rank is late, as a part of the steps. Those that the list has no room for are
// taken to be late as often as its last one.
double mean_fraction(std::span<const LateRank> list, int devices) {
  double sum = 0;
  for (const LateRank& each : list) sum += each.fraction;
  const bool full = list.size() >= kMostListed;
  const double others = full ? std::max(devices - static_cast<double>(list.size()), 0.0) : 0;
  return (sum + others * list.back().fraction) / std::max(devices, 1);
}

// What follows the slow ones costs far less.
bool stand_out(std::span<const LateRank> slow, std::span<const LateRank> list) {
  if (slow.size() == list.size()) return list.size() < kMostListed;
  return list[slow.size()].cost() <= kFarLess * slow.front().cost();
}

template <typename Words>
std::string listed_of(std::span<const LateRank> list, Words words) {
  std::vector<std::string> all;
  for (const LateRank& each : list) all.push_back(words(each));
  return listed(all);
}

std::span<const LateRank> named(std::span<const LateRank> slow) {
  return slow.first(std::min(slow.size(), kMostNamed));
}

template <typename Field>
bool are_alike(std::span<const LateRank> slow, Field field) {
  return std::ranges::all_of(
      slow, [&](const LateRank& each) { return each.*field == slow.front().*field; });
}

// "1 (a)"; "1 and 2 (a)" on one host; "1 (a) and 2 (b)"
std::string with_hosts(std::span<const LateRank> slow) {
  const auto host_of = [](const LateRank& each) {
    return each.host.empty() ? "" : fmt::format(" ({})", each.host);
  };
  const bool alike = are_alike(slow, &LateRank::host);
  return listed_of(slow,
                   [&](const LateRank& each) {
                     return fmt::format("{}{}", each.rank, alike ? "" : host_of(each));
                   }) +
         (alike ? host_of(slow.front()) : "");
}

}  // namespace

// By chance every rank is late now and then, and costs about as much as the others. At most half of
// the ranks can be late in one step: it is the lower median that they are later than.
std::span<const LateRank> slow_ranks(const PathSummary& path, int devices) {
  const std::span<const LateRank> list = path.late;
  if (list.empty()) return {};
  const auto last = std::ranges::find_if(
      list, [&](const LateRank& each) { return each.cost() < kNearlyAs * list[0].cost(); });
  const auto slow = list.first(static_cast<size_t>(last - list.begin()));
  if (slow.empty() || std::ssize(slow) > std::max(devices / 2, 1)) return {};
  if (cost_of(slow) < path.part(PathPart::Late) / 2) return {};
  const double often = std::min(kAlways, kOften * mean_fraction(list, devices));
  const bool all_often =
      std::ranges::all_of(slow, [&](const LateRank& each) { return each.fraction >= often; });
  return all_often || stand_out(slow, list) ? slow : std::span<const LateRank>{};
}

std::string name_of_slow_ranks(std::span<const LateRank> slow) {
  const auto rank = [](const LateRank& each) { return fmt::to_string(each.rank); };
  if (slow.size() == 1) return "late rank " + rank(slow[0]);
  return slow.size() > kMostNamed ? "late ranks" : "late ranks " + listed_of(slow, rank);
}

std::string words_on_slow_ranks(std::span<const LateRank> slow) {
  const auto few = named(slow);
  const auto often = [](const LateRank& each) {
    return fmt::format("{:.0f}", 100 * each.fraction);
  };
  const auto by = [](const LateRank& each) { return fmt::format("{:.1f}", 1e3 * each.seconds); };
  const bool one_place = are_alike(slow, &LateRank::where) && !slow[0].where.empty();
  return fmt::format(
      "{} {} late in {} % of steps, by {} ms{}{}. Look for other processes, a lower clock or fewer "
      "cores there.",
      (slow.size() == 1 ? "Rank " : "Ranks ") + with_hosts(few), slow.size() == 1 ? "was" : "were",
      listed_of(few, often), listed_of(few, by), one_place ? ", in " + slow[0].where : "",
      slow.size() > few.size() ? "; so were others" : "");
}

}  // namespace lockstep
