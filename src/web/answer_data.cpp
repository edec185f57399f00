#include "web/answer_data.h"

#include <cmath>
#include <map>
#include <tuple>

#include "config/json.h"
#include "config/run_label.h"
#include "report/render/budget_words.h"
#include "web/page_number.h"

namespace lockstep {
namespace {

Json number(double value) { return page_number(value, 5); }

Json interval(const std::optional<Interval>& found) {
  if (!found) return nullptr;
  return Json::array({number(found->low), number(found->high)});
}

Json late_json(const PathSummary& path) {
  Json list = Json::array();
  for (const LateRank& each : path.late) {
    list.push_back({{"rank", each.rank},
                    {"host", each.host},
                    {"fraction", number(each.fraction)},
                    {"ms", number(1e3 * each.seconds)},
                    {"where", each.where}});
  }
  return list;
}

Json servers_json(const PathSummary& path) {
  Json list = Json::array();
  for (const ServerWait& each : path.servers) {
    list.push_back(
        {{"server", each.server}, {"variable", each.variable}, {"ms", number(1e3 * each.seconds)}});
  }
  return list;
}

Json budget_of(const LossBudget& budget, std::span<const StoredRun> runs, bool has_card) {
  const BudgetWords words = words_on(budget, runs[budget.launch].result);
  Json parts = Json::array(), intervals = Json::array();
  for (size_t i = 0; i < kLossPartCount; ++i) {
    parts.push_back(number(100 * budget.part(static_cast<LossPart>(i))));
    auto known = budget.part_95(static_cast<LossPart>(i));
    if (known) known = {100 * known->low, 100 * known->high};
    if (known && known->low == 0 && known->high == 0) known.reset();
    intervals.push_back(interval(known));
  }
  Json json = {{"configuration", budget.configuration},
               {"base", budget.base ? Json(*budget.base) : Json(nullptr)},
               {"efficiency", number(budget.efficiency.value)},
               {"step_ms", number(1e3 * budget.step)},
               {"ideal_ms", number(1e3 * budget.ideal_step)},
               {"points", std::move(parts)},
               {"points_95", std::move(intervals)},
               {"late", late_json(budget.path)},
               {"servers", servers_json(budget.path)},
               {"basis", words.basis}};
  if (has_card) {
    json["verdict"] = words.verdict;
    json["advice"] = words.advice;
  }
  return json;
}

}  // namespace

// A card is about the fastest of the most devices, whatever the filters show: network, strategy and
// engine. Only these need sentences, which are a third of all budgets.
std::set<size_t> places_of_cards(const ScalingReport& report) {
  std::map<std::tuple<std::string, std::string, std::string>, size_t> largest;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    if (!each.speed || each.simulated) continue;
    const auto [place, fresh] = largest.try_emplace(
        {each.config.model, each.config.variable_update, engine_label(each.config)}, i);
    const Configuration& known = report.configurations[place->second];
    const auto size = [](const Configuration& one) {
      return std::pair(one.devices, one.speed->images_per_second);
    };
    if (size(each) > size(known)) place->second = i;
  }
  std::set<size_t> places;
  for (const auto& [shown, place] : largest) places.insert(place);
  return places;
}

Json budgets_json(const ScalingReport& report, std::span<const LossBudget> budgets,
                  std::span<const StoredRun> runs) {
  const std::set<size_t> cards = places_of_cards(report);
  Json list = Json::array();
  for (const LossBudget& each : budgets) {
    list.push_back(budget_of(each, runs, cards.contains(each.configuration)));
  }
  return list;
}

// Whole microseconds: a step of 64 ranks and 200 transfers stays small.
Json timeline_json(const StepTimeline& timeline) {
  const auto us = [](double seconds) { return std::llround(1e6 * seconds); };
  Json ranks = Json::array(), transfers = Json::array(), path = Json::array();
  for (const TimelineRank& rank : timeline.ranks) {
    Json blocks = Json::array(), moves = Json::array();
    for (const TimelineBlock& block : rank.blocks) {
      blocks.push_back({static_cast<int>(block.phase), us(block.begin), us(block.end)});
    }
    for (const TimelineTransfer& each : rank.transfers) {
      moves.push_back({each.transfer, us(each.ready), us(each.begin), us(each.end)});
    }
    ranks.push_back({{"host", rank.host}, {"blocks", blocks}, {"transfers", moves}});
  }
  for (const Transfer& each : timeline.transfers) {
    transfers.push_back({{"name", each.name}, {"layers", each.layers}, {"bytes", each.bytes}});
  }
  for (const PathSegment& each : timeline.path) {
    path.push_back({each.rank, kPathPartNames[static_cast<size_t>(each.part)],
                    us(each.begin.count()), us(each.end.count()), each.transfer});
  }
  return {{"step", timeline.step + 1},
          {"us", us(timeline.seconds)},
          {"ranks", std::move(ranks)},
          {"transfers", std::move(transfers)},
          {"path", std::move(path)}};
}

}  // namespace lockstep
