#include "app/commands/allreduce_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "comm/all_reduce_timing.h"
#include "measure/statistics.h"

namespace lockstep {
namespace {

constexpr const char* kColumns = "{:>12} {:>12}  {:<18} {:<10} {:>11} {:>11} {:>8} {:>8} {:>6}\n";

double algorithm_bandwidth(const AllReduceRow& row) {
  return static_cast<double>(row.bytes) / median_seconds(row);
}

}  // namespace

double median_seconds(const AllReduceRow& row) { return median(row.seconds); }
double quick_seconds(const AllReduceRow& row) { return quantile(row.seconds, 0.25); }

std::string all_reduce_header() {
  return fmt::format(fmt::runtime(kColumns), "size", "count", "by", "", "p50", "p95", "algbw",
                     "busbw", "wrong") +
         fmt::format(fmt::runtime(kColumns), "bytes", "floats", "", "", "us", "us", "GB/s", "GB/s",
                     "floats");
}

std::string all_reduce_line(const AllReduceRow& row) {
  const double speed = algorithm_bandwidth(row);
  const auto gigabytes = [](double value) { return fmt::format("{:.2f}", value / 1e9); };
  const auto microseconds = [](double value) { return fmt::format("{:.1f}", value * 1e6); };
  return fmt::format(fmt::runtime(kColumns), row.bytes, row.bytes / sizeof(float), row.contender,
                     row.what, microseconds(median_seconds(row)),
                     microseconds(quantile(row.seconds, 0.95)), gigabytes(speed),
                     gigabytes(bus_bandwidth(speed, row.ranks)),
                     row.wrong ? fmt::to_string(*row.wrong) : "-");
}

int64_t wrong_numbers(const std::vector<AllReduceRow>& rows) {
  int64_t wrong = 0;
  for (const AllReduceRow& row : rows) wrong += row.wrong.value_or(0);
  return wrong;
}

std::string all_reduce_footer(const std::vector<AllReduceRow>& rows) {
  std::vector<std::string> names;
  for (const AllReduceRow& row : rows) {
    if (!std::ranges::count(names, row.contender)) names.push_back(row.contender);
  }
  std::string text;
  for (const std::string& name : names) {
    std::vector<double> speeds;
    for (const AllReduceRow& row : rows) {
      if (row.contender != name) continue;
      speeds.push_back(bus_bandwidth(algorithm_bandwidth(row), row.ranks));
    }
    text += fmt::format("mean busbw of {}: {:.2f} GB/s\n", name, mean(speeds) / 1e9);
  }
  return text + fmt::format("wrong values: {}\n", rows.front().wrong
                                                      ? thousands_text(wrong_numbers(rows))
                                                      : "not checked");
}

std::string winners_table(const std::vector<SizeWinner>& winners) {
  constexpr const char* kRow = "{:>12}  {:<18} {:>8}  {}\n";
  std::string text = fmt::format(fmt::runtime(kRow), "size", "fastest", "lead", "second");
  for (const SizeWinner& winner : winners) {
    const bool alone = winner.second.empty();
    text +=
        fmt::format(fmt::runtime(kRow), winner.bytes, winner.fastest,
                    alone ? "-" : fmt::format("{:.2f}x", winner.lead), alone ? "-" : winner.second);
  }
  return text;
}

nlohmann::json winners_json(const std::vector<SizeWinner>& winners) {
  nlohmann::json list = nlohmann::json::array();
  for (const SizeWinner& winner : winners) {
    nlohmann::json& row = list.emplace_back();
    row = {{"bytes", winner.bytes}, {"fastest", winner.fastest}};
    row["second"] = winner.second.empty() ? nlohmann::json(nullptr) : nlohmann::json(winner.second);
    row["lead"] = winner.second.empty() ? nlohmann::json(nullptr) : nlohmann::json(winner.lead);
  }
  return list;
}

nlohmann::json all_reduce_json(const AllReduceRow& row) {
  const double speed = algorithm_bandwidth(row);
  nlohmann::json json = {{"what", row.what},
                         {"by", row.contender},
                         {"ranks", row.ranks},
                         {"bytes", row.bytes},
                         {"floats", row.bytes / static_cast<int64_t>(sizeof(float))},
                         {"messages", row.messages},
                         {"p50_seconds", median_seconds(row)},
                         {"p95_seconds", quantile(row.seconds, 0.95)},
                         {"algbw_bytes_per_second", speed},
                         {"busbw_bytes_per_second", bus_bandwidth(speed, row.ranks)},
                         {"seconds", row.seconds},
                         {"wrong", nullptr}};
  if (row.wrong) json["wrong"] = *row.wrong;
  return json;
}

}  // namespace lockstep
