#include "sim/validate/validate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/json.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }
std::string signed_percent(double part) { return fmt::format("{:+.1f}", 100 * part); }

Json json_of(const ErrorSummary& each) {
  Json json = {{"name", each.name},           {"rows", each.rows},
               {"mean", each.mean},           {"bias", each.bias},
               {"worst", each.worst},         {"within_5", each.within_5},
               {"within_10", each.within_10}, {"constant_90", each.constant}};
  if (each.persistence) {
    json["persistence"] = *each.persistence;
    json["mean_on_rows_with_persistence"] = *each.on_those;
  }
  return json;
}

// What rows of one heading have in common; names of sources are too long for a column.
std::string heading_of(const PublishedRow& row) {
  return fmt::format("{}, {}{}", row.heading(), row.update.empty() ? "all-reduce" : row.update,
                     row.data.empty() ? "" : ", " + row.data);
}

// Rows of one heading together, in the order in which headings first appear.
std::vector<ValidatedRow> grouped(const std::vector<ValidatedRow>& rows) {
  std::map<std::string, size_t> order;
  for (const ValidatedRow& each : rows) order.try_emplace(heading_of(each.row), order.size());
  std::vector<ValidatedRow> sorted = rows;
  std::ranges::stable_sort(
      sorted, {}, [&](const ValidatedRow& each) { return order.at(heading_of(each.row)); });
  return sorted;
}

}  // namespace

std::string validation_table(const Validation& validation) {
  TextTable table({{"model", Align::Left},
                   {"batch"},
                   {"devices"},
                   {"nodes"},
                   {"images/sec"},
                   {"predicted"},
                   {"efficiency %"},
                   {"predicted %"},
                   {"error"}});
  std::vector<std::string> headings;
  for (const ValidatedRow& each : grouped(validation.rows)) {
    const PublishedRow& row = each.row;
    headings.push_back(heading_of(row));
    table.add({row.model, row.batch > 0 ? fmt::to_string(row.batch) : "-",
               fmt::to_string(row.devices), fmt::to_string(row.nodes),
               row.images_per_second ? fmt::format("{:.1f}", *row.images_per_second) : "-",
               fmt::format("{:.1f}", each.images_per_second), percent(each.published),
               percent(each.predicted), signed_percent(each.error())});
  }
  return with_headings(table, headings);
}

std::string error_table(const Validation& validation) {
  TextTable table({{"rows"},
                   {"mean error"},
                   {"bias"},
                   {"worst"},
                   {"within 5 %"},
                   {"within 10 %"},
                   {"always 90 %"},
                   {"as smallest run"},
                   {"ours on those"}});
  std::vector<std::string> headings;
  for (const ErrorSummary& each : summaries_by_source(validation)) {
    headings.push_back(each.name);
    table.add({fmt::to_string(each.rows), percent(each.mean), signed_percent(each.bias),
               signed_percent(each.worst), fmt::format("{:.0f}", 100 * each.within_5),
               fmt::format("{:.0f}", 100 * each.within_10), percent(each.constant),
               each.persistence ? percent(*each.persistence) : "-",
               each.on_those ? percent(*each.on_those) : "-"});
  }
  return with_headings(table, headings);
}

Json validation_json(const Validation& validation) {
  Json rows = Json::array(), summaries = Json::array();
  for (const ValidatedRow& each : validation.rows) {
    rows.push_back({{"line", each.row.line},
                    {"source", each.row.source},
                    {"cluster", each.row.cluster},
                    {"model", each.row.model},
                    {"batch", each.row.batch},
                    {"devices", each.row.devices},
                    {"nodes", each.row.nodes},
                    {"update", each.row.update},
                    {"published_images_per_second",
                     each.row.images_per_second ? Json(*each.row.images_per_second) : Json()},
                    {"published_efficiency", each.published},
                    {"predicted_efficiency", each.predicted},
                    {"predicted_images_per_second", each.images_per_second},
                    {"error", each.error()},
                    {"predicted_from", each.known}});
  }
  for (const ErrorSummary& each : summaries_by_source(validation)) {
    summaries.push_back(json_of(each));
  }
  return {{"rows", rows}, {"summaries", summaries}, {"skipped", validation.skipped}};
}

}  // namespace lockstep
