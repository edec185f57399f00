#include "sweep/axes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "config/run_id.h"
#include "config/run_options.h"
#include "external/ready_programs.h"

namespace lockstep {
namespace {

constexpr size_t kMostRuns = 100'000;
constexpr size_t kProblemsShown = 20;

RunConfig with(RunConfig run, const std::vector<Setting>& point) {
  for (const Setting& setting : point) {
    const RunOption* option = find_option(setting.option);
    if (!option) throw UsageError("unknown run option '{}'", setting.option);
    set_from_text(run, *option, setting.value);
  }
  return run;
}

void refuse_double_settings(std::span<const Axis> axes) {
  std::set<std::string> seen;
  for (const Axis& axis : axes) {
    std::set<std::string> own;
    for (const auto& point : axis.points) {
      for (const Setting& setting : point) own.insert(setting.option);
    }
    for (const std::string& option : own) {
      if (seen.insert(option).second) continue;
      throw UsageError("--{} is set twice: by its own axis and by another; remove one", option);
    }
  }
}

std::vector<RunConfig> combinations(const RunConfig& base, std::span<const Axis> axes) {
  std::vector<RunConfig> runs = {base};
  for (const Axis& axis : axes) {
    if (axis.points.empty()) continue;
    if (runs.size() * axis.points.size() > kMostRuns) {
      throw UsageError("these axes make more than {} runs; use fewer values", kMostRuns);
    }
    std::vector<RunConfig> more;
    for (const RunConfig& run : runs) {
      for (const auto& point : axis.points) more.push_back(with(run, point));
    }
    runs = std::move(more);
  }
  return runs;
}

// A problem with the runs that have it: numbers of devices by network.
class Problems {
 public:
  void add(const RunConfig& run, const std::string& what) {
    for (const std::string& line : split(what, '\n')) {
      const auto known = std::ranges::find(all_, line, &Problem::what);
      Problem& problem = known == all_.end() ? all_.emplace_back(Problem{line, {}, 0}) : *known;
      ++problem.runs;
      problem.devices[run.model].insert(run.num_devices);
    }
  }

  // One line per problem. A problem of all runs does not list them.
  std::vector<std::string> lines(size_t runs) const {
    std::vector<std::string> lines;
    for (const Problem& problem : all_) {
      if (problem.runs == runs) {
        lines.push_back(problem.what);
        continue;
      }
      for (const auto& [model, devices] : problem.devices) {
        const bool one = devices.size() == 1 && devices.contains(1);
        lines.push_back(fmt::format("{} on {} device{}: {}", model, fmt::join(devices, ", "),
                                    one ? "" : "s", problem.what));
      }
    }
    return lines;
  }

 private:
  struct Problem {
    std::string what;
    std::map<std::string, std::set<int>> devices;
    size_t runs;
  };
  std::vector<Problem> all_;
};

[[noreturn]] void refuse(std::vector<std::string> problems) {
  const size_t all = problems.size();
  if (all > kProblemsShown) {
    problems.resize(kProblemsShown);
    problems.push_back(fmt::format("and {} more", all - kProblemsShown));
  }
  throw UsageError("{}", fmt::join(problems, "\n"));
}

// As it would be with our own engine, so that its row has the names of the others.
RunConfig named_like_others(const RunConfig& requested, const Resolve& resolve) {
  try {
    RunConfig own = requested;
    own.framework = RunConfig{}.framework;
    own.program.clear();
    RunConfig resolved = resolve(own);
    resolved.framework = requested.framework;
    resolved.program = requested.program;
    return resolved;
  } catch (const UsageError&) {  // not even ours can run it
    return requested;
  }
}

}  // namespace

Axis option_axis(const std::string& option, const std::vector<std::string>& values) {
  Axis axis = {.name = option, .points = {}};
  for (const std::string& value : values) axis.points.push_back({{option, value}});
  return axis;
}

Axis models_axis(const std::vector<std::string>& entries) {
  Axis axis = {.name = "models", .points = {}};
  for (const std::string& entry : entries) {
    const std::vector<std::string> words = split(entry, ':');
    const bool known = words.size() == 1 || (words.size() == 2 && !words[1].empty());
    if (!known || words[0].empty()) {
      throw UsageError("--models must be NAME:BATCH,..., not '{}'", entry);
    }
    std::vector<Setting>& point = axis.points.emplace_back();
    point.push_back({"model", words[0]});
    if (words.size() == 2) point.push_back({"batch-size", words[1]});
  }
  return axis;
}

Axis frameworks_axis(const std::vector<std::string>& entries) {
  Axis axis = {.name = "frameworks", .points = {}};
  const std::string own = RunConfig{}.framework + ":";
  for (const std::string& entry : entries) {
    std::vector<Setting>& point = axis.points.emplace_back();
    if (entry.starts_with(own)) {  // ENGINE or ENGINE:LAYOUT
      const std::vector<std::string> words = split(entry.substr(own.size()), ':');
      point.push_back({"engine", words.front()});
      if (words.size() > 1) point.push_back({"data-format", words[1]});
    } else {  // a script may have a path, as a program has
      const bool program = !entry.ends_with(".py") && is_program(entry);
      point.push_back({program ? "program" : "framework", entry});
    }
  }
  return axis;
}

std::vector<std::string> doubling(int most) {
  std::vector<std::string> values;
  for (int64_t value = 1; value < most; value *= 2) values.push_back(fmt::to_string(value));
  values.push_back(fmt::to_string(most));
  return values;
}

ExpandedRuns expand(const RunConfig& base, std::span<const Axis> axes, const Resolve& resolve) {
  refuse_double_settings(axes);
  ExpandedRuns expanded;
  std::set<std::string> ids;
  Problems problems, unsupported;
  const std::vector<RunConfig> options = combinations(base, axes);
  for (const RunConfig& requested : options) {
    try {
      const RunConfig run = resolve(requested);
      const std::string id = run_id(run);
      if (ids.insert(id).second) expanded.runs.push_back({id, run});
    } catch (const NotSupportedError& error) {
      const RunConfig run = named_like_others(requested, resolve);
      const std::string id = run_id(run);
      const std::string reason = fmt::format("{}", fmt::join(split(error.what(), '\n'), "; "));
      if (ids.insert(id).second) expanded.skipped.push_back({{id, run}, reason});
      unsupported.add(requested, error.what());
    } catch (const UsageError& error) {  // collected, to report all together
      problems.add(requested, error.what());
    }
  }
  if (auto lines = problems.lines(options.size()); !lines.empty()) refuse(std::move(lines));
  if (expanded.runs.empty()) refuse(unsupported.lines(options.size()));
  return expanded;
}

}  // namespace lockstep
