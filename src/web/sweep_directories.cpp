#include "web/sweep_directories.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "report/results/live_state.h"
#include "report/results/results_store.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;  // directories below a root

// A directory to search, and the prefix of its sweep names.
struct Root {
  fs::path path;       // canonical
  std::string prefix;  // empty: it is the only one
};

// The last names of the path.
std::string end_of(const fs::path& path, int names) {
  fs::path end;
  fs::path rest = path;
  for (int i = 0; i < names && rest.has_relative_path(); ++i, rest = rest.parent_path()) {
    end = end.empty() ? rest.filename() : rest.filename() / end;
  }
  return end.string();
}

// Several roots are distinguished by as many of their last path components as needed.
std::vector<Root> named_roots(const std::vector<std::string>& texts) {
  std::set<fs::path> paths;
  for (const std::string& text : texts) {
    if (!fs::is_directory(text)) throw UsageError("{} is not a directory", text);
    paths.insert(fs::canonical(text));
  }
  const auto differ = [&](int names) {
    std::set<std::string> ends;
    for (const fs::path& path : paths) ends.insert(end_of(path, names));
    return ends.size() == paths.size();
  };
  int names = 1;
  while (!differ(names)) ++names;
  std::vector<Root> roots;
  for (const fs::path& path : paths) {
    roots.push_back({path, paths.size() == 1 ? "" : end_of(path, names)});
  }
  return roots;
}

std::string name_below(const Root& root, const fs::path& path) {
  const std::string relative = path.lexically_relative(root.path).string();
  const std::string own = root.path.filename().string();
  if (!root.prefix.empty()) return relative == "." ? root.prefix : root.prefix + "/" + relative;
  if (relative == ".") return own;
  return relative == own ? "./" + relative : relative;  // distinguishes it from the root
}

// Raw files and logs of a sweep: possibly thousands, and no sweep among them.
bool is_of_a_sweep(const fs::path& directory) {
  const fs::path name = directory.filename();
  std::error_code unknown;
  return (name == "runs" || name == "logs") &&
         fs::exists(directory.parent_path() / ResultsStore::kFile, unknown);
}

using Found = std::map<fs::path, std::pair<fs::file_time_type, SweepDirectory>>;

// A sweep below several roots gets its name from the first.
void add_if_sweep(const Root& root, const fs::path& path, Found& found) {
  std::error_code error;
  const fs::path results = path / ResultsStore::kFile;
  if (fs::symlink_status(results, error).type() != fs::file_type::regular) return;
  const auto written = fs::last_write_time(results, error);
  if (error) return;
  const auto size = fs::file_size(results, error);
  const SweepDirectory sweep = {
      .name = name_below(root, path),
      .path = path.string(),
      .version = fmt::format("{} {}", size, written.time_since_epoch().count())};
  found.try_emplace(path, written, sweep);
}

}  // namespace

std::vector<SweepDirectory> find_sweeps(const std::vector<std::string>& roots) {
  Found found;
  for (const Root& root : named_roots(roots)) {
    add_if_sweep(root, root.path, found);
    std::error_code error;
    fs::recursive_directory_iterator at(root.path, fs::directory_options::skip_permission_denied,
                                        error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      std::error_code vanished;
      // A link may lead out of the root.
      if (at->is_symlink(vanished) || !at->is_directory(vanished)) continue;
      if (at.depth() + 1 >= kDeepest || is_of_a_sweep(at->path())) at.disable_recursion_pending();
      add_if_sweep(root, at->path(), found);
    }
  }
  std::vector<std::pair<fs::file_time_type, SweepDirectory>> by_time;
  for (auto& [path, sweep] : found) by_time.push_back(std::move(sweep));
  std::ranges::sort(by_time, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.name < b.second.name;
  });
  std::vector<SweepDirectory> sweeps;
  for (auto& [written, sweep] : by_time) sweeps.push_back(std::move(sweep));
  return sweeps;
}

PageSource read_sweep(const SweepDirectory& directory) {
  StoreContents contents = read_store(directory.path, {.links = false});
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
  std::ranges::sort(names);  // stable order for the page
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

std::vector<PageEvent> SweepNews::everything() const {
  std::vector<PageEvent> events;
  for (const auto& [name, version] : versions_) events.push_back({"changed", name});
  events.push_back({"names", names_});
  events.push_back({"running", running_});
  return events;
}

}  // namespace lockstep
