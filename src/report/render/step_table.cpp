#include "report/render/step_table.h"

#include <fmt/format.h>

#include "config/run_label.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

// Four digits, and no exponent for a step of minutes.
std::string four_digits(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string milliseconds(double seconds) { return four_digits(1000 * seconds); }
std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }

std::vector<std::string> row_of(const ScalingReport& report, const Configuration& each) {
  const StepTimes& times = *each.step_times;
  std::vector<std::string> row = {each.config.model, fmt::to_string(each.config.batch_size),
                                  engine_of(each)};
  if (!report.differing.empty()) row.push_back(settings_label(each.config, report.differing));
  for (std::string& text : std::vector<std::string>{
           fmt::to_string(each.devices), fmt::to_string(times.steps), milliseconds(times.median),
           milliseconds(times.p5), milliseconds(times.p95), milliseconds(times.p99),
           milliseconds(times.mad), percent(times.cv), fmt::to_string(times.outliers),
           each.speed->launches > 1 ? percent(each.speed->cv) : ""}) {
    row.push_back(std::move(text));
  }
  return row;
}

std::optional<TextTable> table_of(const ScalingReport& report) {
  constexpr auto kLeft = TextTable::Align::Left;
  std::vector<TextTable::Column> columns = {{"model", kLeft}, {"batch"}, {"engine", kLeft}};
  if (!report.differing.empty()) columns.push_back({"settings", kLeft});
  for (const char* title : {"devices", "steps", "median step ms", "p5 ms", "p95 ms", "p99 ms",
                            "MAD ms", "CV %", "outliers", "launches differ by %"}) {
    columns.push_back({title});
  }
  std::optional<TextTable> table;
  for (const Configuration& each : report.configurations) {
    if (!each.step_times) continue;
    if (!table) table.emplace(columns);
    table->add(row_of(report, each));
  }
  return table;
}

}  // namespace

std::string step_table(const ScalingReport& report) {
  const auto table = table_of(report);
  return table ? table->text() : "";
}

std::string step_markdown(const ScalingReport& report) {
  const auto table = table_of(report);
  return table ? table->markdown() : "";
}

}  // namespace lockstep
