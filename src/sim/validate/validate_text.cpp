#include "sim/validate/validate_text.h"

#include <fmt/format.h>

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

}  // namespace

std::string validation_table(const Validation& validation) {
  TextTable table({{"source", Align::Left},
                   {"model", Align::Left},
                   {"batch"},
                   {"devices"},
                   {"nodes"},
                   {"update", Align::Left},
                   {"images/sec"},
                   {"predicted"},
                   {"efficiency %"},
                   {"predicted %"},
                   {"error"}});
  for (const ValidatedRow& each : validation.rows) {
    const PublishedRow& row = each.row;
    table.add({row.source, row.model, row.batch > 0 ? fmt::to_string(row.batch) : "-",
               fmt::to_string(row.devices), fmt::to_string(row.nodes), row.update,
               row.images_per_second ? fmt::format("{:.1f}", *row.images_per_second) : "-",
               fmt::format("{:.1f}", each.images_per_second), percent(each.published),
               percent(each.predicted), signed_percent(each.error())});
  }
  return table.text();
}

std::string error_table(const Validation& validation) {
  TextTable table({{"source and cluster", Align::Left},
                   {"rows"},
                   {"mean error"},
                   {"bias"},
                   {"worst"},
                   {"within 5 %"},
                   {"within 10 %"},
                   {"always 90 %"},
                   {"as smallest run"},
                   {"ours on those"}});
  for (const ErrorSummary& each : summaries_by_source(validation)) {
    table.add({each.name, fmt::to_string(each.rows), percent(each.mean), signed_percent(each.bias),
               signed_percent(each.worst), fmt::format("{:.0f}", 100 * each.within_5),
               fmt::format("{:.0f}", 100 * each.within_10), percent(each.constant),
               each.persistence ? percent(*each.persistence) : "-",
               each.on_those ? percent(*each.on_those) : "-"});
  }
  return table.text();
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
