#include "web/sweep_directories.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "report/live_state.h"
#include "report/store.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;  // directories below a root

std::string name_below(const fs::path& root, const fs::path& path) {
  const fs::path whole = fs::weakly_canonical(root);
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(whole);
  return relative == "." ? whole.filename().string() : relative.string();
}

void add_if_sweep(const fs::path& root, const fs::path& path,
                  std::vector<std::pair<fs::file_time_type, SweepDirectory>>& found) {
  std::error_code error;
  const fs::path results = path / Store::kFile;
  const auto written = fs::last_write_time(results, error);
  if (error) return;
  const auto size = fs::file_size(results, error);
  found.push_back({written,
                   {.name = name_below(root, path),
                    .path = path.string(),
                    .version = fmt::format("{} {}", size, written.time_since_epoch().count())}});
}

// Two roots may hold sweeps of the same name.
void make_unique(std::vector<SweepDirectory>& sweeps) {
  std::map<std::string, int> uses;
  for (SweepDirectory& sweep : sweeps) {
    if (++uses[sweep.name] > 1) sweep.name = fmt::format("{} ({})", sweep.name, uses[sweep.name]);
  }
}

}  // namespace

std::vector<SweepDirectory> find_sweeps(const std::vector<std::string>& roots) {
  std::vector<std::pair<fs::file_time_type, SweepDirectory>> found;
  for (const std::string& root : roots) {
    if (!fs::is_directory(root)) throw Error("{} is no directory", root);
    add_if_sweep(root, root, found);
    std::error_code error;
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      std::error_code vanished;
      if (!at->is_directory(vanished)) continue;
      // Nothing below the raw files of a sweep is another.
      if (at.depth() + 1 >= kDeepest || at->path().filename() == "runs") {
        at.disable_recursion_pending();
      }
      add_if_sweep(root, at->path(), found);
    }
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.name < b.second.name;
  });
  std::vector<SweepDirectory> sweeps;
  for (auto& [written, sweep] : found) sweeps.push_back(std::move(sweep));
  make_unique(sweeps);
  return sweeps;
}

PageSource read_sweep(const SweepDirectory& directory) {
  StoreContents contents = read_store(directory.path);
  std::vector<std::string> directories(contents.runs.size(), directory.path);
  return {.name = directory.name,
          .collection = {.runs = std::move(contents.runs), .directories = std::move(directories)},
          .skipped = std::move(contents.skipped)};
}

std::vector<PageEvent> SweepNews::look() {
  std::vector<PageEvent> events;
  std::vector<std::string> names;
  Json running = Json::array();
  std::map<std::string, std::string> versions;
  for (const SweepDirectory& sweep : find_sweeps(roots_)) {
    names.push_back(sweep.name);
    versions[sweep.name] = sweep.version;
    const auto known = versions_.find(sweep.name);
    if (known == versions_.end() || known->second != sweep.version) {
      events.push_back({"changed", sweep.name});
    }
    if (const auto state = read_live_state(sweep.path)) {
      running.push_back(
          {{"set", sweep.name},
           {"label", state->label},
           {"done", state->done},
           {"all", state->all},
           {"images_per_second",
            state->images_per_second ? Json(*state->images_per_second) : Json(nullptr)},
           {"left", duration_text(state->seconds_left)}});
    }
  }
  std::ranges::sort(names);  // so that a list on a page keeps its order
  const auto tell = [&](const char* name, const Json& now, Json& before) {
    if (now == before) return;
    before = now;
    events.push_back({name, now});
  };
  tell("names", names, names_);
  tell("running", running, running_);
  versions_ = std::move(versions);
  return events;
}

}  // namespace lockstep
