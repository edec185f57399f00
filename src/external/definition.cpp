#include "external/definition.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/text.h"
#include "config/run_options.h"
#include "external/pattern.h"
#include "external/template.h"
#include "launch/family_options.h"
#include "measure/step_meter.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

// Placeholders for a process in the run, and for the folder of the definition file.
constexpr std::string_view kPlaces[] = {"job_name", "task_index", "ps_hosts", "worker_hosts",
                                        "rank",     "size",       "port",     "here"};

std::string with_underscores(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

const RunOption* option_named(const std::string& name) {
  for (const RunOption& option : run_options()) {
    if (with_underscores(option.name) == name) return &option;
  }
  return nullptr;
}

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}

  std::vector<std::string> problems() {
    check_command();
    check_placeholders();
    check_words();
    check_options();
    check_patterns();
    check_start();
    return std::move(problems_);
  }

 private:
  void add(const std::string& key, const std::string& what) {
    problems_.push_back(fmt::format("{} {}", at(program_, key), what));
  }
  void attempt(const std::string& key, const std::function<void()>& check) {
    try {
      check();
    } catch (const UsageError& error) {  // one line among the others
      problems_.push_back(fmt::format("{}: {}", at(program_, key), error.what()));
    }
  }

  void check_command() {
    if (program_.command.empty() || program_.command.front().words.empty() ||
        program_.command.front().words.front().empty()) {
      return add("command", "is missing; give the program and its arguments as a list of strings");
    }
    if (program_.command.front().optional)
      add("command", "must not start with an optional argument");
  }

  void check_placeholders() {
    const std::vector<std::string> known = known_placeholders();
    each_template(program_, [&](const std::string& key, const std::string& text) {
      attempt(key, [&] {
        for (const std::string& name : placeholders_in(text)) {
          if (std::ranges::count(known, name)) continue;
          const std::string near = closest(name, known);
          throw UsageError("unknown placeholder {{{}}}{}", name,
                           near.empty() ? "" : fmt::format("; did you mean {{{}}}?", near));
        }
      });
    });
  }

  // The result must say what was measured.
  void check_words() {
    std::vector<std::string> used;
    try {
      used = placeholders_of(program_);
    } catch (const UsageError&) {  // said already
      return;
    }
    for (const std::string name : {"model", "batch_size"}) {
      if (std::ranges::count(used, name) || program_.fixed.contains(name)) continue;
      add("command",
          fmt::format("has no {{{0}}}; if the program fixes it, set {0} = ... under [fixed]",
                      name));
    }
  }

  void check_options() {
    check_fixed("fixed.", program_.fixed);
    for (const auto& [device, fixed] : program_.fixed_on) {
      const std::string key = "fixed_on." + device;
      if (device != "cpu" && device != "cuda") add(key, "is not a device; use one of cpu, cuda");
      check_fixed(key + ".", fixed);
    }
    for (const auto& [name, map] : program_.names) {
      if (!option_named(name)) add("names." + name, "is not a run option");
    }
  }

  void check_fixed(const std::string& prefix, const TextMap& fixed) {
    for (const auto& row : fixed) {
      const RunOption* option = option_named(row.first);
      const std::string key = prefix + row.first;
      if (!option) {
        add(key, "is not a run option");
        continue;
      }
      RunConfig scratch;
      attempt(key, [&] { set_option(scratch, *option, row.second); });
    }
  }

  void check_patterns() {
    const ProgramOutput& output = program_.output;
    if (output.step.empty() && output.total.empty()) {
      add("output", "needs 'total' or 'step': a pattern that finds the throughput");
    }
    attempt("output.step", [&] { Pattern(output.step, Pattern::Kind::Number); });
    attempt("output.total", [&] { Pattern(output.total, Pattern::Kind::Number); });
    attempt("output.loss", [&] { Pattern(output.loss, Pattern::Kind::Number); });
    for (const auto& row : output.phases) {
      const std::string key = "output.phases." + row.first;
      attempt(key, [&] { Pattern(row.second, Pattern::Kind::Number); });
      if (std::ranges::count(kPhaseNames, row.first)) continue;
      add(key, fmt::format("is not a phase; use one of {}", fmt::join(kPhaseNames, ", ")));
    }
    attempt("success.line", [&] { Pattern(program_.required_line, Pattern::Kind::Anything); });
    attempt("failure.line", [&] { Pattern(program_.forbidden_line, Pattern::Kind::Anything); });
    const bool by_steps = output.total.empty() && !output.step.empty();
    if (by_steps && output.step_is == StepMeaning::RunningMean &&
        output.lines != CombineLines::Last) {
      add("output.lines", "must be 'last' when output.step_is is 'running_mean'");
    }
    if (output.step.empty() && (output.enough_steps || output.skip_steps > 0)) {
      add(output.enough_steps ? "output.enough_steps" : "output.skip_steps", "needs output.step");
    }
    if (output.enough_steps && *output.enough_steps == 0) {
      add("output.enough_steps", "must be at least 1");
    }
  }

  void check_start() {
    if (program_.exit_code > 255) add("success.exit_code", "must be at most 255");
    if (program_.servers < 1) add("servers", "must be at least 1");
    std::vector<std::string_view> choices;
    for (const StrategyKind& kind : strategies()) choices.push_back(kind.name);
    for (const auto& [update, way] : program_.start) {
      if (update == "default" || std::ranges::count(choices, update)) continue;
      add("start." + update, fmt::format("is not 'default' or a variable update; use one of {}",
                                         fmt::join(choices, ", ")));
    }
  }

  const Program& program_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> problems_in(const Program& program) { return Checker(program).problems(); }

StartWay start_way(const Program& program, const RunConfig& run) {
  const auto own = program.start.find(run.variable_update);
  const StartChoice choice = own != program.start.end() ? own->second : program.start.at("default");
  return run.num_devices == 1 ? choice.one_device : choice.more_devices;
}

TextMap fixed_options(const Program& program, const RunConfig& run) {
  TextMap fixed = program.fixed;
  const auto here = program.fixed_on.find(run.device.substr(0, run.device.find(':')));
  if (here == program.fixed_on.end()) return fixed;
  for (const auto& [name, value] : here->second) fixed[name] = value;
  return fixed;
}

std::vector<std::string> known_placeholders() {
  std::vector<std::string> names;
  for (const RunOption& option : run_options()) names.push_back(with_underscores(option.name));
  for (const std::string_view place : kPlaces) names.emplace_back(place);
  return names;
}

void each_template(const Program& program,
                   const std::function<void(const std::string&, const std::string&)>& visit) {
  const auto arguments = [&](const std::string& key, const Arguments& list) {
    for (const ProgramArgument& argument : list) {
      for (const std::string& word : argument.words) visit(key, word);
    }
  };
  arguments("command", program.command);
  arguments("mpirun", program.mpirun);
  visit("directory", program.directory);
  for (const auto& [name, value] : program.env) visit("env." + name, value);
}

std::vector<std::string> placeholders_of(const Program& program) {
  std::vector<std::string> names;
  each_template(program, [&](const std::string&, const std::string& text) {
    for (std::string& name : placeholders_in(text)) names.push_back(std::move(name));
  });
  return names;
}

std::string at(const Program& program, const std::string& key) {
  const auto line = program.lines.find(key);
  if (line == program.lines.end()) return fmt::format("{}: {}", program.source, key);
  return fmt::format("{}:{}: {}", program.source, line->second, key);
}

}  // namespace lockstep
