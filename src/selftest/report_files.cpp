// report_files.cpp: the report of a self-test as JSON, and the files to attach to an issue.
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/version.h"
#include "config/json_text.h"
#include "selftest/self_test.h"

namespace lockstep {

namespace fs = std::filesystem;

Json report_json(const SelfTestReport& report, const Provenance& provenance) {
  return {{"schema_version", 1},
          {"kind", "selftest"},
          {"program_version", program_version()},
          {"revision", provenance.revision},
          {"command_line", provenance.command_line},
          {"verdict", failed(report.rows) ? "fail" : "pass"},
          {"failure", failure_text(report.rows)},
          {"seconds", report.seconds},
          {"hosts", report.hosts},
          {"rows", rows_json(report.rows)}};
}

SelfTestReport self_test_report_in(std::string_view text) {
  try {
    const Json json = printable_json_in(text);
    return {.rows = rows_from_json(json.at("rows")),
            .hosts = json.at("hosts"),
            .seconds = json.at("seconds").get<double>()};
  } catch (const Json::exception&) {  // its words are of the JSON library
    throw Error("rank 0 wrote a report that cannot be read");
  }
}

void check_bundle(const std::string& directory) {
  std::error_code unknown;
  if (fs::exists(directory, unknown) && !fs::is_empty(directory, unknown)) {
    throw UsageError("--bundle {}: it is there already; name a new directory", directory);
  }
}

void write_bundle(const std::string& directory, const SelfTestReport& report,
                  const Provenance& provenance) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) throw Error("cannot create --bundle {}: {}", directory, failure.message());
  const fs::path place = directory;
  write_whole_file((place / "report.json").string(),
                   json_text(report_json(report, provenance), 1) + "\n");
  write_whole_file((place / "table.txt").string(), rows_text(report.rows));
}

}  // namespace lockstep
