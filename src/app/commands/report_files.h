// report_files.h: the files of a report, which `lockstep report` and `lockstep sweep` write.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "report/analysis/regressions.h"
#include "report/analysis/scaling.h"
#include "report/analysis/verdicts.h"
#include "report/render/scaling_csv.h"
#include "web/page_data.h"

namespace lockstep {

// The launches of these directories, each once. Notes go to `err`. Throws UsageError if there are
// none.
PageSource collect_results(const std::vector<std::string>& directories, std::ostream& err);

// Tables below each other; empty parts are left out.
std::string joined_tables(const std::vector<std::string>& parts);

// Speeds and, without scaling, the ranking. `wide`: in any width, else in 100 columns.
std::vector<std::string> usual_tables(const ScalingReport& report,
                                      std::span<const Ranking> rankings, bool wide);

struct ReportContents {
  const ScalingReport& report;
  const PageSource& source;
  std::optional<BaselineReport> compared = {};
  std::string baseline = {};                    // its name
  std::vector<Ranking> rankings = {};           // alternatives_in()
  std::vector<std::string> more_markdown = {};  // tables that were asked for
  std::vector<ReportFile> more_files = {};
};
std::string report_markdown(const ReportContents& contents);
// Writes CSV files, charts, page and Markdown below `output`; returns their paths within it. Notes
// go to `err`. Throws Error.
std::vector<std::string> write_report_files(const ReportContents& contents,
                                            const std::string& output, std::ostream& err);

}  // namespace lockstep
