#include "report/render/compact_tables.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "config/run_label.h"
#include "report/render/footnotes.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

constexpr auto kLeft = TextTable::Align::Left;
using Row = std::vector<std::string>;

std::string with_margin(double value, const std::optional<Interval>& interval, int digits) {
  if (!interval) return fmt::format("{:.{}f}", value, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", value, digits, (interval->high - interval->low) / 2,
                     digits);
}

std::string percent_with_margin(const std::optional<Ratio>& part) {
  if (!part) return "-";
  std::optional<Interval> interval = part->interval_95;
  if (interval) interval = {100 * interval->low, 100 * interval->high};
  return with_margin(100 * part->value, interval, 1);
}

std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }

// The first columns of every table: what was measured. Letters for settings save room.
class Subjects {
 public:
  Subjects(const ScalingReport& report, bool letters) : report_(report), letters_(letters) {
    for (const Configuration& each : report.configurations) {
      // A prediction never looks like a measurement.
      shows_engine_ = shows_engine_ || each.simulated ||
                      engine_of(each) != engine_of(report.configurations.front());
      if (!report.differing.empty()) legend_.try_emplace(settings_of(each), legend_.size());
    }
  }

  std::vector<TextTable::Column> columns() const {
    std::vector<TextTable::Column> columns = {{"network", kLeft}};
    if (shows_engine_) columns.push_back({"engine", kLeft});
    if (!legend_.empty()) columns.push_back({"settings", kLeft});
    columns.push_back({"devices"});
    return columns;
  }
  Row row(const Configuration& each) const {
    Row row = {fmt::format("{}:{}", each.config.model, each.config.batch_size)};
    if (shows_engine_) row.push_back(engine_of(each));
    if (!legend_.empty()) row.push_back(letters_ ? letter(settings_of(each)) : settings_of(each));
    row.push_back(fmt::to_string(each.devices));
    return row;
  }
  std::string legend() const {
    if (!letters_) return "";
    std::vector<std::string> lines(legend_.size());
    for (const auto& [settings, number] : legend_) {
      lines[number] = wrapped(fmt::format("settings {}: {}\n", letter(settings),
                                          settings.empty() ? "the defaults" : settings));
    }
    return fmt::format("{}", fmt::join(lines, ""));
  }

 private:
  std::string settings_of(const Configuration& each) const {
    return settings_label(each.config, report_.differing);
  }
  // A, B, ... Z, A1, B1, ...
  std::string letter(const std::string& settings) const {
    const size_t number = legend_.at(settings);
    const std::string round = number < 26 ? "" : fmt::to_string(number / 26);
    return std::string(1, static_cast<char>('A' + number % 26)) + round;
  }

  const ScalingReport& report_;
  bool letters_, shows_engine_ = false;
  std::map<std::string, size_t> legend_;  // in the order of the rows
};

// What a table leaves out to fit.
// Nothing; settings become letters; columns go, and cells continue on further lines.
enum class Room { Enough, Little, VeryLittle };

template <typename Make>
std::string fitting(Make make) {
  for (const Room room : {Room::Enough, Room::Little}) {
    const std::string text = make(room);
    const auto lines = split(text, '\n');
    const bool fits = std::ranges::all_of(
        lines, [](const std::string& line) { return text_width(line) <= kTerminalColumns; });
    if (fits) return text;
  }
  return make(Room::VeryLittle);
}

std::string text_of(const TextTable& table, Room room) {
  return room == Room::VeryLittle ? table.text_within() : table.text();
}

struct Extent {
  bool launches = true, speed_up = false, efficiency = false, communication = false, data = false;
};

Extent extent_of(const ScalingReport& report, Room room) {
  const auto any = [&](std::optional<Ratio> Configuration::*value) {
    return std::ranges::any_of(report.configurations,
                               [&](const auto& each) { return (each.*value).has_value(); });
  };
  return {.launches = room != Room::VeryLittle,
          .speed_up = report.scales() && room != Room::VeryLittle,
          .efficiency = report.scales(),
          .communication = any(&Configuration::communication_efficiency),
          .data = any(&Configuration::data_cost)};
}

std::vector<std::string> remarks_on(const Configuration& each) {
  if (each.speed) return each.warnings;
  return {fmt::format("{}: {}", each.skipped ? "skipped" : "failed", each.error)};
}

Row numbers_of(const Configuration& each, const ScalingPoint* point, const Extent& extent) {
  Row row;
  if (extent.launches) row.push_back(each.speed ? fmt::to_string(each.speed->launches) : "-");
  if (each.speed) {
    row.push_back(rate_with_margin(*each.speed));
  } else {
    row.emplace_back(each.skipped ? "skipped" : "failed");
  }
  if (extent.speed_up) {
    row.push_back(point && point->speed_up ? fmt::format("{:.2f}", point->speed_up->value) : "-");
  }
  if (extent.efficiency) {
    row.push_back(point ? percent_with_margin(point->scaling_efficiency) : "-");
  }
  if (extent.communication) row.push_back(percent_with_margin(each.communication_efficiency));
  const auto exposed = each.exposed_fraction();
  row.push_back(exposed ? percent(*exposed) : "-");
  if (extent.data) row.push_back(percent_with_margin(each.data_cost));
  return row;
}

std::string scaling_rows(const ScalingReport& report, Room room) {
  const Subjects subjects(report, room != Room::Enough);
  const Extent extent = extent_of(report, room);
  std::vector<TextTable::Column> columns = subjects.columns();
  if (extent.launches) columns.push_back({"launches"});
  columns.push_back({"images/sec"});
  if (extent.speed_up) columns.push_back({"speed-up"});
  if (extent.efficiency) columns.push_back({"efficiency %"});
  if (extent.communication) columns.push_back({"comm. eff. %"});
  columns.push_back({"exposed %"});
  if (extent.data) columns.push_back({"data cost %"});
  columns.push_back({"", kLeft});
  TextTable table(std::move(columns));
  std::map<size_t, const ScalingPoint*> points;
  for (const Series& series : report.series) {
    for (const ScalingPoint& point : series.points) points[point.configuration] = &point;
  }
  Footnotes footnotes;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    Row row = subjects.row(each);
    const auto point = points.find(i);
    std::ranges::move(numbers_of(each, point == points.end() ? nullptr : point->second, extent),
                      std::back_inserter(row));
    row.push_back(footnotes.mark(remarks_on(each)));
    table.add(std::move(row));
  }
  return text_of(table, room) + subjects.legend() + footnotes.text();
}

std::string four_digits(double seconds) {
  const double value = 1000 * seconds;
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string step_rows(const ScalingReport& report, Room room) {
  const Subjects subjects(report, room != Room::Enough);
  std::vector<TextTable::Column> columns = subjects.columns();
  for (const char* title : {"steps", "median ms", "p5 ms", "p95 ms", "p99 ms", "CV %", "outliers"})
    columns.push_back({title});
  TextTable table(std::move(columns));
  bool any = false;
  for (const Configuration& each : report.configurations) {
    if (!each.step_times) continue;
    any = true;
    const StepTimes& times = *each.step_times;
    Row row = subjects.row(each);
    for (std::string& text :
         Row{fmt::to_string(times.steps), four_digits(times.median), four_digits(times.p5),
             four_digits(times.p95), four_digits(times.p99), percent(times.cv),
             fmt::to_string(times.outliers)}) {
      row.push_back(std::move(text));
    }
    table.add(std::move(row));
  }
  return any ? text_of(table, room) + subjects.legend() : "";
}

std::string ranking_rows(const ScalingReport& report, const Ranking& ranking, Room room) {
  const Subjects subjects(report, room != Room::Enough);
  std::vector<TextTable::Column> columns = {{"rank"}};
  for (TextTable::Column& column : subjects.columns()) columns.push_back(std::move(column));
  columns.insert(columns.end(),
                 {{"images/sec"}, {"of the fastest"}, {"verdict", kLeft}, {"", kLeft}});
  TextTable table(std::move(columns));
  Footnotes footnotes;
  for (size_t i = 0; i < ranking.rows.size(); ++i) {
    const RankedRow& ranked = ranking.rows[i];
    const Configuration& each = report.configurations[ranked.configuration];
    const auto& difference = ranked.difference;
    Row row = {fmt::to_string(i + 1)};
    std::ranges::move(subjects.row(each), std::back_inserter(row));
    row.push_back(fmt::format("{:.2f}", each.speed->images_per_second));
    row.push_back(difference ? ratio_with_margin(difference->ratio) : "1");
    row.emplace_back(difference ? words_for(difference->verdict) : "fastest");
    const bool open = difference && difference->verdict == Verdict::Inconclusive;
    row.push_back(open ? footnotes.mark({difference->reason}) : "");
    table.add(std::move(row));
  }
  return text_of(table, room) + subjects.legend() + footnotes.text();
}

}  // namespace

std::string ratio_with_margin(const Ratio& ratio) {
  return with_margin(ratio.value, ratio.interval_95, 3);
}

// Large rates without decimals that are never known.
std::string rate_with_margin(const LaunchSummary& speed) {
  const int digits = speed.images_per_second >= 10'000 ? 0
                     : speed.images_per_second >= 1000 ? 1
                                                       : 2;
  return with_margin(speed.images_per_second, speed.images_per_second_95, digits);
}

std::string compact_scaling_table(const ScalingReport& report) {
  std::string text = fitting([&](Room room) { return scaling_rows(report, room); });
  for (const auto* notes : {&report.notes, &report.base_notes}) {
    const bool about_scaling = notes == &report.base_notes;
    if (about_scaling && !report.scales()) continue;
    for (const std::string& note : *notes) text += wrapped("note: " + note + "\n");
  }
  return text;
}

std::string compact_step_table(const ScalingReport& report) {
  return fitting([&](Room room) { return step_rows(report, room); });
}

std::string compact_ranking_tables(const ScalingReport& report, std::span<const Ranking> rankings) {
  std::string text;
  for (const Ranking& ranking : rankings) {
    if (!text.empty()) text += "\n";
    text +=
        fmt::format("ranking of {} on {}:\n", ranking.model, count_text(ranking.devices, "device"));
    text += fitting([&](Room room) { return ranking_rows(report, ranking, room); });
    if (ranking.left_out > 0) {
      text += fmt::format("{} slower configurations are not listed\n", ranking.left_out);
    }
  }
  return text;
}

}  // namespace lockstep
