// report_options.h: the options of `lockstep report`.
#pragma once

#include <string>
#include <vector>

#include "app/commands/gate_flags.h"
#include "report/render/text_table.h"

namespace lockstep {

enum class TableFormat { Text, Markdown, Csv, AsJson };

struct ReportOptions {
  std::vector<std::string> directories;
  std::string output, baseline;
  std::string pivot, by;  // axes, as given
  GateOptions gate = {.fail_on = {"slower", "failed", "inconclusive"}};
  bool markdown = false, csv = false, json = false, best = false, wide = false;

  TableWidth width() const { return wide ? TableWidth::Wide : TableWidth::Terminal; }
  TableFormat format() const {
    return json       ? TableFormat::AsJson
           : csv      ? TableFormat::Csv
           : markdown ? TableFormat::Markdown
                      : TableFormat::Text;
  }
};

CommandSyntax report_syntax(ReportOptions& options);

// Throws UsageError with all that is wrong with the line as a whole.
void check_options(ReportOptions& options);

}  // namespace lockstep
