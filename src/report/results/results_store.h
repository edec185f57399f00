// results_store.h: results.jsonl: the runs of a directory, one per line, only ever appended to.
//
// A line is a result (run_result.h) without its raw samples, so that thousands are read in a
// second; `raw_file` names the full result. A line is on disk before the next run starts. Readers
// ignore, with a note, an incomplete last line, lines of another schema, foreign lines and those
// above 64 MiB.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/regular_file.h"
#include "report/results/run_result.h"

namespace lockstep {

struct StoredRun {
  std::string id;                            // of config/run_id.h
  int repeat = 0;                            // which launch of it, from 0; "launch" 1 in files
  std::string raw_file = {};                 // within the directory; empty: there is none
  double wall_seconds = 0;                   // of the whole launch, start-up included
  std::vector<std::string> last_lines = {};  // that a failed run printed
  bool control = false;                      // of `sweep --explain`: explains others, is no result
  RunResult result = {};                     // without raw samples

  // It ran to its end; also what was simulated did.
  bool skipped() const { return result.status == RunStatus::Skipped; }
  bool measured() const { return !result.error && result.status == RunStatus::Completed; }
};

// The same for copies of one launch, and for no two launches.
std::string identity_of(const StoredRun& run);

struct StoreContents {
  std::vector<StoredRun> runs;
  std::vector<std::string> skipped;  // one line each, for people
};

// Of the text of a results.jsonl. A duplicate launch counts once. Throws UsageError if it is
// something else.
StoreContents runs_in(std::string_view text, const std::string& source);
// The same of a file. Throws UsageError if there is no results.jsonl. `directory` may also name the
// file itself.
StoreContents read_store(const std::string& directory, const FileRules& rules = {.pipes = true});
// The file that it reads: that of a directory, or a file that is named itself.
std::filesystem::path results_file(const std::string& directory);

// The whole result with its samples. Throws Error.
RunResult read_raw(const std::string& directory, const StoredRun& run);

RunResult without_samples(RunResult result);
std::string stored_line(const StoredRun& run);  // as results.jsonl has it, with its end

// The one writer of a directory.
class ResultsStore {
 public:
  static constexpr const char* kFile = "results.jsonl";

  // Makes the directory; repairs a torn last line. Throws Error, also when another has it open.
  explicit ResultsStore(std::string directory);

  void append(const StoredRun& run);                           // is on disk when it returns
  const StoreContents& contents() const { return contents_; }  // with what was appended
  const std::string& directory() const { return directory_; }

 private:
  void repair_end();

  std::string directory_;
  FileDescriptor file_;  // locked while it is open
  StoreContents contents_;
};

}  // namespace lockstep
