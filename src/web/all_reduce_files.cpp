#include "web/all_reduce_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/regular_file.h"
#include "config/json.h"
#include "config/json_text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> files_in(const std::vector<std::string>& directories) {
  std::set<fs::path> files;
  for (const std::string& directory : directories) {
    std::error_code error;  // a directory that is gone has no files
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("allreduce") && entry.path().extension() == ".json") {
        files.insert(entry.path());
      }
    }
  }
  return files;
}

// Of a directory that others may write to; empty: nothing that is to be read.
std::string text_of(const fs::path& path) {
  try {
    return read_regular_file(path.string(), {.most_bytes = 16 << 20, .links = false});
  } catch (const Error&) {
    return "";
  }
}

constexpr const char* kWords[] = {"what", "by"};
constexpr const char* kNumbers[] = {"ranks",
                                    "bytes",
                                    "p50_seconds",
                                    "p95_seconds",
                                    "algbw_bytes_per_second",
                                    "busbw_bytes_per_second"};

// Null: one of them is missing or of another kind.
Json row_in(const Json& row) {
  if (!row.is_object()) return nullptr;
  Json kept = Json::object();
  for (const char* key : kWords) {
    if (!row.contains(key) || !row.at(key).is_string()) return nullptr;
    kept[key] = row.at(key);
  }
  for (const char* key : kNumbers) {
    if (!row.contains(key) || !row.at(key).is_number()) return nullptr;
    kept[key] = row.at(key);
  }
  return kept;
}

// Null: not a result of allreduce.
Json result_in(const fs::path& path) {
  Json json = printable_json_in(text_of(path));
  if (!json.is_object() || !json.contains("rows") || !json.at("rows").is_array()) return nullptr;
  Json rows = Json::array();
  for (const Json& row : json.at("rows")) {
    Json kept = row_in(row);
    if (kept.is_null()) return nullptr;
    rows.push_back(std::move(kept));
  }
  Json result = {{"file", path.filename().string()}, {"rows", std::move(rows)}};
  const auto rate = json.find("line_rate_bytes_per_second");
  if (rate != json.end() && rate->is_number()) result["line_rate_bytes_per_second"] = *rate;
  return result;
}

}  // namespace

Json all_reduce_results(const std::vector<std::string>& directories) {
  Json list = Json::array();
  for (const fs::path& path : files_in(directories)) {
    Json result = result_in(path);
    if (!result.is_null()) list.push_back(std::move(result));
  }
  return list;
}

}  // namespace lockstep
