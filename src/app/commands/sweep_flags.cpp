#include "app/commands/sweep_flags.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "app/device_choice.h"
#include "app/flags.h"
#include "app/other_program.h"
#include "app/python_names.h"
#include "app/tf_flags.h"
#include "base/error.h"
#include "base/text.h"
#include "launch/family_options.h"
#include "report/analysis/axis_groups.h"
#include "sweep/batch_presets.h"
#include "sweep/sweep_file.h"

namespace lockstep {
namespace {

// The value of such an option is itself a list.
bool has_commas(const RunOption& option) {
  const std::string& values = option.details.value_name;
  return values.find(',') != std::string::npos || values.find("LIST") != std::string::npos;
}

// "a,b"; of named values also "a/b", as tensorpack writes it. A path keeps its slashes.
std::vector<std::string> values_in(const RunOption& option, std::string text) {
  if (has_commas(option)) return {text};
  if (has_named_values(option)) std::ranges::replace(text, '/', ',');
  return split(text, ',');
}

// Options of a run that a sweep does not support.
struct NotHere {
  std::string_view option;
  const char* why;
};
constexpr NotHere kNotHere[] = {
    {"train-dir",
     "not supported in a sweep, whose runs would resume from each other's checkpoints"},
    {"save-model-steps", "not supported in a sweep, whose runs write no checkpoints"},
    {"save-model-secs", "not supported in a sweep, whose runs write no checkpoints"},
    {"max-ckpts-to-keep", "not supported in a sweep, whose runs write no checkpoints"},
    {"eval", "not supported in a sweep, which measures training"},
    {"job-name", "not supported in a sweep, which starts all processes itself"},
    {"task-index", "not supported in a sweep, which starts all processes itself"},
};

// Options that a sweep defines itself, for all launches.
constexpr std::string_view kOfTheSweep[] = {"dry-run", "precision"};

Flag refused_flag(const RunOption& option, const char* why) {
  const auto refuse = [name = option.name, why](const std::string&) {
    throw UsageError("--{}: {}", name, why);
  };
  return {.name = option.name,
          .value_name = flag_value_name(option),
          .help = option.help,
          .set = refuse,
          .aliases = option.details.aliases,
          .hidden = true,
          .of_others = true};
}

// An option that is the same for all runs: it does not identify a run, or its value is a list.
Flag common_flag(const RunOption& option, SweepOptions& options) {
  const auto set = [&options, &option](const std::string& text) {
    RunConfig probe;
    set_option(probe, option, text);  // reports an invalid value now
    check_python_names(probe.python);
    std::vector<std::string>& list = options.lists[option.name];
    const std::string value = canonical_text(option, text);
    list = {is_list(option) && !list.empty() ? list.front() + "\n" + value : value};
  };
  return {.name = option.name,
          .value_name = flag_value_name(option),
          .help = option.help,
          .set = set,
          .group = "For all runs",
          .letter = option.details.letter,
          .aliases = option.details.aliases,
          .many = is_list(option),
          .overrules = overrules_of(option.name)};
}

Flag axis_flag(const RunOption& option, SweepOptions& options) {
  const auto add = [&options, &option](const std::string& text) {
    std::vector<std::string>& list = options.lists[option.name];
    for (const std::string& value : values_in(option, text)) {
      RunConfig probe;
      set_option(probe, option, value);  // reports an invalid value now
      list.push_back(text_of(probe, option));
    }
  };
  const std::string values =
      flag_value_name(option).empty() ? "true|false" : flag_value_name(option);
  Flag flag = {.name = option.name,
               .value_name = has_commas(option) ? values : values + ",...",
               .help = option.help,
               .set = add,
               .group = "Axes: " + option.group,
               .letter = option.details.letter,
               .aliases = option.details.aliases,
               .many = true,
               .overrules = overrules_of(option.name)};
  if (option.name == "num-devices") flag.aliases.push_back("devices");
  if (option.name == "framework") flag.aliases.push_back("frameworks");
  return flag;
}

std::vector<Flag> own_flags(SweepOptions& options, const SweepSyntax& command) {
  const auto models = [&](const std::string& text) {
    for (const std::string& entry : split(text, ',')) options.lists["models"].push_back(entry);
  };
  const auto timeout = [&](const std::string& text) {
    options.run_timeout = finite_number(text).value_or(0);
    if (*options.run_timeout <= 0)
      throw UsageError("--run-timeout must be a number of seconds above 0, not '{}'", text);
  };
  constexpr int64_t kMost = 1'000'000;
  Flag repeats = number_flag({"repeats", command.repeats_help, &options.repeats, {1, kMost}});
  repeats.default_text = command.repeats;
  return {
      {.name = "models",
       .value_name = "NAME:BATCH,...",
       .help =
           "networks with their batch sizes [inception3 and alexnet, with parameter servers and "
           "all-reduce, on all hosts or devices, with the batch sizes that fit into memory]",
       .set = models,
       .many = true},
      {.name = "batch-preset",
       .value_name = "NAME",
       .help = "batch sizes of networks without one; " + batch_presets_text(),
       .set = [&](auto& text) { options.batch_preset = find_batch_preset(text).name; }},
      number_flag(
          {"max-devices",
           "without --num-devices: run on 1, 2, 4, ... N devices; with --hosts, on 1, 2, 4, ... N "
           "hosts [every core, or every host]",
           &options.max_devices,
           {1, kMost}}),
      repeats,
      {.name = "precision",
       .value_name = "X%",
       .help = "stop a run once the 95 % confidence interval is within X %; --repeats is then the "
               "limit",
       .set = [&](auto& text) { options.precision = fraction_in("precision", text); }},
      {.name = "output",
       .value_name = "DIR",
       .help = "directory of the results",
       .set = [&](auto& text) { options.output = text; },
       .default_text = command.output,
       .letter = 'o'},
      number_flag(
          {"order-seed", "random seed of the order of launches", &options.order_seed, {0, kMost}}),
      {.name = "run-timeout",
       .value_name = "SECONDS",
       .help = "seconds after which a launch is stopped and counts as failed",
       .set = timeout,
       .default_text = "an hour and ten times its estimate"},
      {.name = "predict",
       .value_name = "N,...",
       .help = "also predict these numbers of devices, beyond those measured "
               "(docs/simulating.md)",
       .set =
           [&](auto& text) {
             options.predict.clear();
             for (const std::string& each : split(text, ',')) {
               options.predict.push_back(static_cast<int>(whole_in("predict", each, {1, kMost})));
             }
           }},
      switch_flag("retry-failed", "launch failed runs again", &options.retry_failed),
      switch_flag("dry-run", "print the launches in order and exit", &options.dry_run),
      switch_flag("best",
                  "at the end, print the fastest configuration per network and number of devices",
                  &options.best),
      {.name = "pivot",
       .value_name = "ROWS,COLUMNS",
       .help = "at the end, print images/sec by two axes, such as devices,synthetic-location",
       .set =
           [&](auto& text) {
             pivot_axes(text, {});  // reports an unknown name now
             options.pivot = text;
           }},
      switch_flag("explain",
                  "also run the workers of each run without communication, in the same rounds: "
                  "tells slower compute from the cost of communication",
                  &options.explain),
      switch_flag("json", "at the end, print every configuration as JSON instead of tables",
                  &options.json),
      switch_flag("wide", "print tables wider than 100 columns, with all numbers", &options.wide),
  };
}

// Measures the same runs in addition, so both values of it are no alternatives: a plain switch.
constexpr std::string_view kSecondMeasurement = "efficiency";

// An option that changes only what a single run prints.
Flag ignored_flag(const RunOption& option, IgnoredFlags& ignored) {
  const auto ignore = [name = option.name, &ignored](const std::string&) {
    ignored.add(name, "changes only what a single run prints");
  };
  return {.name = option.name,
          .value_name = flag_value_name(option),
          .help = option.help,
          .set = ignore,
          .letter = option.details.letter,
          .aliases = option.details.aliases,
          .hidden = true,
          .of_others = true};
}

CommandSyntax syntax_for(SweepOptions& options, const SweepSyntax& command, IgnoredFlags& ignored) {
  CommandSyntax syntax = {
      .command = command.command,
      .summary = command.summary,
      .flags = own_flags(options, command),
      .positional = Positional{.name = "sweep.toml",
                               .help = "file with the same options, each a value or a list",
                               .set = [&](const std::string& text) { options.file = text; }}};
  std::erase_if(syntax.flags, [&](const Flag& flag) {
    return std::ranges::count(command.without, flag.name) > 0;
  });
  std::vector<Flag> common, refused;
  for (const RunOption& option : run_options()) {
    const auto not_here = std::ranges::find(kNotHere, option.name, &NotHere::option);
    if (std::ranges::count(kOfTheSweep, option.name) || option.details.internal) continue;
    if (option.details.only_tells) {
      refused.push_back(ignored_flag(option, ignored));
    } else if (not_here != std::end(kNotHere)) {
      refused.push_back(refused_flag(option, not_here->why));
    } else if (is_list(option) || !is_identity(option) || option.name == kSecondMeasurement) {
      common.push_back(common_flag(option, options));
    } else {
      syntax.flags.push_back(axis_flag(option, options));
    }
  }
  std::ranges::move(common, std::back_inserter(syntax.flags));
  std::ranges::move(refused, std::back_inserter(syntax.flags));
  std::ranges::move(tf_only_flags(ignored), std::back_inserter(syntax.flags));
  return syntax;
}

// The options of the file, for the command to take where its line does not set them.
std::vector<OptionDefault> defaults_in(const std::string& file, const CommandSyntax& syntax) {
  std::vector<OptionDefault> defaults;
  for (const SweepEntry& entry : read_sweep_file(file)) {
    check_option_name(syntax, entry.name, fmt::format("{}:{}", file, entry.line));
    defaults.push_back({.command = syntax.command,
                        .name = entry.name,
                        .values = entry.values,
                        .source = fmt::format("{}:{}", file, entry.line)});
  }
  return defaults;
}

// The file that a line names. Empty if something is wrong with the line, which is found when it is
// read: the word behind an unknown option is most likely no file, but its value.
std::string file_in(const SweepSyntax& command, std::span<const std::string> arguments) {
  SweepOptions options;
  IgnoredFlags ignored;
  CommandSyntax listening = syntax_for(options, command, ignored);
  listening.flags.push_back(quiet_flag(nullptr));
  listening.flags.push_back(show_config_flag(nullptr));
  for (Flag& flag : listening.flags) flag.set = [](const std::string&) {};
  try {
    parse(listening, arguments);
  } catch (const UsageError&) {  // reported by the second reading
    return "";
  }
  return options.file;
}

}  // namespace

const SweepSyntax& sweep_syntax() {
  static const SweepSyntax syntax = {
      .command = "sweep",
      .summary = "Measures all combinations of options, each several times.",
      .repeats_help = "launches of each run",
      .repeats = "5, or 3 if no networks are given",
      .output = "sweep"};
  return syntax;
}

bool sweep_answered(RunContext& context, SweepOptions& options, const SweepSyntax& command,
                    std::span<const std::string> arguments) {
  options.output = command.output;
  IgnoredFlags ignored;
  const CommandSyntax syntax = syntax_for(options, command, ignored);
  const std::string file = file_in(command, arguments);
  if (!file.empty())
    std::ranges::move(defaults_in(file, syntax), std::back_inserter(context.defaults));
  const bool done = answered(context, syntax, arguments);
  options.notes = ignored.notes();
  if (options.json && (options.best || !options.pivot.empty() || options.dry_run)) {
    throw UsageError(
        "--json prints every configuration at the end; --best, --pivot and --dry-run exclude it");
  }
  return done;
}

std::string gpu_for_sweep(const SweepOptions& options, const RunContext& context) {
  return is_given(options, "device") ? gpu_here(context).value_or("") : "";
}

void require_programs(const SweepPlan& plan, const RunContext& context) {
  for (const SweepRun& run : plan.runs) {
    const auto other = program_elsewhere(context.engines, run.config.engine);
    if (other && run.config.program.empty()) require_built(*other, context);
  }
}

}  // namespace lockstep
