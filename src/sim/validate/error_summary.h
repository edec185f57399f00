// error_summary.h: how wrong predictions are, by source.
#pragma once

#include "sim/validate/validate.h"

namespace lockstep {

struct ErrorSummary {
  std::string name;
  int rows = 0;
  double mean = 0, bias = 0, worst = 0;                   // efficiency, as a part
  double within_5 = 0, within_10 = 0;                     // parts of the rows
  double constant = 0;                                    // mean error of always answering 90 %
  std::optional<double> persistence = {}, on_those = {};  // of rows with a smaller run; ours there
};

ErrorSummary summarize_errors(const std::string& name,
                              const std::vector<const ValidatedRow*>& rows);
std::vector<ErrorSummary> summaries_by_source(const Validation& validation);  // the last: all

}  // namespace lockstep
