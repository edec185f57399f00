#include "report/results/results_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/directory_lock.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_id.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLineBytes = 64 << 20;  // values take up to 20 times their text
constexpr size_t kLongestReason = 500;

StoredRun run_of(const Json& json) {
  StoredRun run;
  run.result = result_from_json(json);
  run.id = json.value("run_id", run_id(run.result.config));
  run.repeat = json.contains("launch") ? json.at("launch").get<int>() - 1
                                       : json.value("repeat", 0);  // older stores count from 0
  run.raw_file = json.value("raw_file", "");
  run.wall_seconds = json.value("wall_seconds", 0.0);
  run.last_lines = json.value("last_lines", std::vector<std::string>{});
  run.control = json.value("control", false);
  return run;
}

// Empty: the line was read.
std::string read_line(std::string_view text, bool ended, StoreContents& contents) {
  if (text.size() > kMostLineBytes) {
    return "is longer than " + bytes_text(int64_t{kMostLineBytes});
  }
  Json json = printable_json_in(text);
  if (json.is_discarded()) return ended ? "is not JSON" : "is incomplete";
  const bool versioned =
      json.is_object() && json.contains("schema_version") && json.at("schema_version").is_number();
  if (!versioned) return "is not a result of lockstep";
  const bool ours = json.at("schema_version") == kResultSchemaVersion;
  if (!ours) {
    return fmt::format("is a result of schema {}, not {}", json.at("schema_version").dump(),
                       kResultSchemaVersion);
  }
  if (!(json.contains("config") && json.contains("facts"))) {
    return "is not a result of lockstep";
  }
  try {
    contents.runs.push_back(run_of(json));
    return "";
  } catch (const Json::exception&) {  // a line of ours would have the right types
    return "is not a result of lockstep";
  } catch (const Error& error) {
    return fmt::format("was written by another version of lockstep: {}", error.what());
  }
}

// Without links; empty: it is not inside. A result from somewhere else may name any file of this
// machine.
fs::path place_inside(const fs::path& directory, const fs::path& path) {
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(path, unknown);
  const fs::path relative = real.lexically_relative(fs::weakly_canonical(directory, unknown));
  const bool inside = !unknown && !relative.empty() && *relative.begin() != ".." && relative != ".";
  return inside ? real : "";
}

[[noreturn]] void fail(const std::string& what, const fs::path& path) {
  throw Error("cannot {} {}: {}", what, path.string(), std::strerror(errno));
}

// A sweep that is killed between fork and exec leaves a copy of itself, which holds the lock until
// exec.
constexpr Seconds kPatience{2};

}  // namespace

fs::path results_file(const std::string& directory) {
  return fs::is_directory(directory) ? fs::path(directory) / ResultsStore::kFile
                                     : fs::path(directory);
}

// A failed launch may have written nothing: its duration then distinguishes it from others.
std::string identity_of(const StoredRun& run) {
  const RunResult& result = run.result;
  return fmt::format("{} {} {} {} {} {} {} {}", run.id, run.repeat, result.origin,
                     name_of(result.status), result.started_at, result.host.name,
                     result.throughput.total_images_per_second,
                     run.measured() ? 0.0 : run.wall_seconds);
}

RunResult without_samples(RunResult result) {
  for (auto* steps : {&result.steps, &result.warmup_steps}) steps->clear();
  result.ops.clear();
  result.ranks.clear();
  result.transfers.clear();
  if (result.program) {
    result.program->step_lines.clear();
    result.program->total_lines.clear();
  }
  return result;
}

std::string stored_line(const StoredRun& run) {
  Json json = {{"run_id", run.id},
               {"launch", run.repeat + 1},
               {"raw_file", run.raw_file},
               {"wall_seconds", run.wall_seconds},
               {"last_lines", run.last_lines}};
  if (run.control) json["control"] = true;
  const Json result = result_to_json(without_samples(run.result));
  for (const auto& [key, value] : result.items()) json[key] = value;
  // What a program printed need not be UTF-8.
  return json_text(json) + "\n";
}

StoreContents runs_in(std::string_view text, const std::string& source) {
  if (text.starts_with("{\n")) {
    throw UsageError(
        "{} is the result of one run; 'lockstep compare' reads such files, reports "
        "are made of the directory of a sweep",
        source);
  }
  StoreContents contents;
  std::map<std::string, int> lines;  // by identity of the launch
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const bool ended = end != std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(line.size() + (ended ? 1 : 0));
    if (line.empty()) continue;
    std::string why = read_line(line, ended, contents);
    if (why.empty()) {
      const auto [first, fresh] = lines.try_emplace(identity_of(contents.runs.back()), number);
      if (fresh) continue;
      contents.runs.pop_back();
      why = fmt::format("repeats the launch of line {}", first->second);
    }
    contents.skipped.push_back(printable(
        fmt::format("{}: line {} ignored: it {}", source, number, why.substr(0, kLongestReason))));
  }
  return contents;
}

StoreContents read_store(const std::string& directory, const FileRules& rules) {
  const fs::path path = results_file(directory);
  if (!fs::exists(path)) throw UsageError("{}: no such file", path.string());
  return runs_in(read_regular_file(path.string(), rules), path.string());
}

RunResult read_raw(const std::string& directory, const StoredRun& run) {
  if (run.raw_file.empty()) throw Error("run {} has no raw samples", run.id);
  const fs::path parent = results_file(directory).parent_path();
  const fs::path inside = parent.empty() ? "." : parent;
  const fs::path path = place_inside(inside, inside / run.raw_file);
  if (path.empty()) {
    throw Error("run {}: raw file {} is not in {}", run.id, run.raw_file, inside.string());
  }
  return read_result(path.string(), {.links = false});  // nor a pipe, which nobody may write
}

ResultsStore::ResultsStore(std::string directory) : directory_(std::move(directory)) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) throw UsageError("cannot create {}: {}", directory_, error.message());
  const fs::path path = fs::path(directory_) / kFile;
  file_ = FileDescriptor(
      open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file_.is_open()) {
    throw UsageError("cannot write {}: {}", path.string(),
                     errno == ELOOP ? "it is a link" : std::strerror(errno));
  }
  if (!fs::is_regular_file(path)) throw UsageError("{} is not a regular file", path.string());
  if (!lock_within(kPatience, file_.number())) {
    if (errno == EWOULDBLOCK) throw Error("another sweep is running in {}", directory_);
    fail("lock", path);
  }
  repair_end();
  contents_ = read_store(directory_);
}

// A writer that was killed leaves a partial line, whose run will be measured again. It is cut off.
// A line that lacks only its newline gets one, and so does one that no writer of ours has begun.
void ResultsStore::repair_end() {
  const fs::path path = fs::path(directory_) / kFile;
  std::ifstream file(path);
  std::string text, last;
  off_t begin = 0;
  for (off_t at = 0; std::getline(file, text); at += static_cast<off_t>(text.size()) + 1) {
    begin = at;
    last = text;
    if (file.eof()) break;
  }
  if (last.empty() || !file.eof()) return;
  file.clear();
  file.seekg(-1, std::ios::end);
  if (file.get() == '\n') return;
  const bool whole = last.size() > kMostLineBytes || !json_in(last).is_discarded();
  const bool repaired =
      whole ? write(file_.number(), "\n", 1) == 1 : ftruncate(file_.number(), begin) == 0;
  if (!repaired) fail("repair", path);
}

void ResultsStore::append(const StoredRun& run) {
  const std::string line = stored_line(run);
  const fs::path path = fs::path(directory_) / kFile;
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = write(file_.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(file_.number()) != 0) fail("write", path);
  contents_.runs.push_back(run);
  contents_.runs.back().result = without_samples(run.result);
}

}  // namespace lockstep
