#include "sim/validate/error_summary.h"

#include <cmath>
#include <map>

namespace lockstep {

ErrorSummary summarize_errors(const std::string& name,
                              const std::vector<const ValidatedRow*>& rows) {
  constexpr double kConstant = 0.9;
  ErrorSummary sum{.name = name, .rows = static_cast<int>(rows.size())};
  double persistence = 0, on_those = 0;
  int with_smaller = 0;
  for (const ValidatedRow* each : rows) {
    const double error = std::abs(each->error());
    sum.mean += error;
    sum.bias += each->error();
    if (error > std::abs(sum.worst)) sum.worst = each->error();
    sum.within_5 += error <= 0.05;
    sum.within_10 += error <= 0.10;
    sum.constant += std::abs(kConstant - each->published);
    if (!each->persistence) continue;
    ++with_smaller;
    persistence += std::abs(*each->persistence - each->published);
    on_those += error;
  }
  if (sum.rows == 0) return sum;
  for (double* part : {&sum.mean, &sum.bias, &sum.within_5, &sum.within_10, &sum.constant}) {
    *part /= sum.rows;
  }
  if (with_smaller > 0) {
    sum.persistence = persistence / with_smaller;
    sum.on_those = on_those / with_smaller;
  }
  return sum;
}

std::vector<ErrorSummary> summaries_by_source(const Validation& validation) {
  std::vector<std::string> sources;
  std::map<std::string, std::vector<const ValidatedRow*>> by_source;
  std::vector<const ValidatedRow*> all;
  for (const ValidatedRow& each : validation.rows) {
    const std::string name = each.row.heading();
    if (!by_source.contains(name)) sources.push_back(name);
    by_source[name].push_back(&each);
    all.push_back(&each);
  }
  std::vector<ErrorSummary> summaries;
  for (const std::string& source : sources) {
    summaries.push_back(summarize_errors(source, by_source[source]));
  }
  summaries.push_back(summarize_errors("all", all));
  return summaries;
}

}  // namespace lockstep
