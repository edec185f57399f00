#include "app/commands/sweep_flags.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "sweep/sweep_file.h"

namespace lockstep {
namespace {

// Values of these are lists themselves.
bool has_commas(const RunOption& option) {
  const std::string& values = option.details.value_name;
  return values.find(',') != std::string::npos || values.find("LIST") != std::string::npos;
}

int whole_in(const char* option, int least, const std::string& text) {
  const auto number = whole_number(text);
  if (!number || *number < least || *number > 1'000'000) {
    throw UsageError("--{} must be a whole number of at least {}, not '{}'", option, least, text);
  }
  return static_cast<int>(*number);
}

// What a run has and a sweep cannot give it.
struct NotHere {
  std::string_view option;
  const char* why;
};
constexpr NotHere kNotHere[] = {
    {"train-dir", "the runs of a sweep would go on from each other's checkpoints"},
    {"save-model-steps", "the runs of a sweep keep no checkpoints"},
    {"save-model-secs", "the runs of a sweep keep no checkpoints"},
    {"max-ckpts-to-keep", "the runs of a sweep keep no checkpoints"},
    {"eval", "a sweep measures training"},
    {"job-name", "a sweep starts all processes of a run itself"},
    {"task-index", "a sweep starts all processes of a run itself"},
};

// A sweep has its own, which mean all launches.
constexpr std::string_view kOfTheSweep[] = {"dry-run", "precision"};

Flag refused_flag(const RunOption& option, const char* why) {
  const auto refuse = [name = option.name, why](const std::string&) {
    throw UsageError("--{}: {}", name, why);
  };
  return {.name = option.name,
          .value_name = value_name(option),
          .help = option.help,
          .set = refuse,
          .aliases = option.details.aliases,
          .hidden = true};
}

// The same for all runs: no part of what they are, or a list itself, of which all values count.
Flag common_flag(const RunOption& option, SweepWishes& wishes) {
  const auto set = [&wishes, &option](const std::string& text) {
    RunConfig probe;
    set_from_text(probe, option, text);  // a bad one is told now
    std::vector<std::string>& list = wishes.lists[option.name];
    list = {is_list(option) && !list.empty() ? list.front() + "\n" + text : text};
  };
  return {.name = option.name,
          .value_name = value_name(option),
          .help = option.help,
          .set = set,
          .group = "For all runs",
          .letter = option.details.letter,
          .aliases = option.details.aliases,
          .many = is_list(option)};
}

Flag axis_flag(const RunOption& option, SweepWishes& wishes) {
  const auto add = [&wishes, &option](const std::string& text) {
    RunConfig probe;
    std::vector<std::string>& list = wishes.lists[option.name];
    for (const std::string& value : has_commas(option) ? std::vector{text} : split(text, ',')) {
      set_from_text(probe, option, value);  // a bad one is told now
      list.push_back(value);
    }
  };
  const std::string values = value_name(option).empty() ? "true|false" : value_name(option);
  Flag flag = {.name = option.name,
               .value_name = has_commas(option) ? values : values + ",...",
               .help = option.help,
               .set = add,
               .group = "Axes: " + option.group,
               .letter = option.details.letter,
               .aliases = option.details.aliases,
               .many = true};
  if (option.name == "num-devices") flag.aliases.push_back("devices");
  return flag;
}

std::vector<Flag> own_flags(SweepWishes& wishes, const SweepSyntax& command) {
  const auto models = [&](const std::string& text) {
    for (const std::string& entry : split(text, ',')) wishes.lists["models"].push_back(entry);
  };
  const auto truth = [](bool& target) {
    return [&target](const std::string& text) { target = text == "true"; };
  };
  const auto timeout = [&](const std::string& text) {
    wishes.run_timeout = finite_number(text).value_or(0);
    if (wishes.run_timeout <= 0) throw UsageError("--run-timeout must be seconds, not '{}'", text);
  };
  return {
      {.name = "models",
       .value_name = "NAME:BATCH,...",
       .help = "networks with their batch sizes",
       .set = models,
       .many = true},
      {.name = "max-devices",
       .value_name = "N",
       .help =
           "unless --num-devices: 1, 2, 4, ... up to this; by default one per core, with --hosts "
           "hosts instead, all of them",
       .set = [&](auto& text) { wishes.max_devices = whole_in("max-devices", 1, text); }},
      {.name = "repeats",
       .value_name = "N",
       .help = command.repeats_help,
       .set = [&](auto& text) { wishes.repeats = whole_in("repeats", 1, text); },
       .default_text = command.repeats},
      {.name = "precision",
       .value_name = "X%",
       .help = "enough launches once images/sec is known this well; --repeats is the most then",
       .set = [&](auto& text) { wishes.precision = fraction_in("precision", text); }},
      {.name = "output",
       .value_name = "DIR",
       .help = "directory of the results",
       .set = [&](auto& text) { wishes.output = text; },
       .default_text = command.output,
       .letter = 'o'},
      {.name = "order-seed",
       .value_name = "N",
       .help = "of the random order of launches",
       .set = [&](auto& text) { wishes.order_seed = whole_in("order-seed", 0, text); },
       .default_text = "1"},
      {.name = "run-timeout",
       .value_name = "SECONDS",
       .help = "after which a launch has failed",
       .set = timeout,
       .default_text = "3600"},
      {.name = "retry-failed",
       .value_name = "",
       .help = "launch failed runs again",
       .set = truth(wishes.retry_failed)},
      {.name = "dry-run",
       .value_name = "",
       .help = "list the launches, in order, and stop",
       .set = truth(wishes.dry_run)},
      {.name = "best",
       .value_name = "",
       .help = "at the end, the fastest configuration of each network and number of devices",
       .set = truth(wishes.best)},
  };
}

CommandSyntax syntax_for(SweepWishes& wishes, const SweepSyntax& command) {
  CommandSyntax syntax = {
      .command = command.command,
      .summary = command.summary,
      .flags = own_flags(wishes, command),
      .positional = Positional{.name = "sweep.toml",
                               .help = "the same names with values or lists of them",
                               .set = [&](const std::string& text) { wishes.file = text; }}};
  std::erase_if(syntax.flags, [&](const Flag& flag) {
    return std::ranges::count(command.without, flag.name) > 0;
  });
  std::vector<Flag> common, refused;
  for (const RunOption& option : run_options()) {
    const auto not_here = std::ranges::find(kNotHere, option.name, &NotHere::option);
    if (option.details.only_tells || std::ranges::count(kOfTheSweep, option.name)) continue;
    if (not_here != std::end(kNotHere)) {
      refused.push_back(refused_flag(option, not_here->why));
    } else if (is_list(option) || !is_identity(option)) {
      common.push_back(common_flag(option, wishes));
    } else {
      syntax.flags.push_back(axis_flag(option, wishes));
    }
  }
  std::ranges::move(common, std::back_inserter(syntax.flags));
  std::ranges::move(refused, std::back_inserter(syntax.flags));
  return syntax;
}

// What the command line does not name comes from the file, as if it stood there.
std::vector<std::string> arguments_in(const std::string& file, const CommandSyntax& syntax,
                                      const std::vector<std::string>& given) {
  std::vector<std::string> arguments;
  for (const SweepEntry& entry : read_sweep_file(file)) {
    const auto flag = std::ranges::find_if(syntax.flags, [&](const Flag& each) {
      return each.name == entry.name || std::ranges::count(each.aliases, entry.name);
    });
    if (flag == syntax.flags.end()) {
      std::vector<std::string> names;
      for (const Flag& each : syntax.flags) names.push_back(each.name);
      const std::string near = closest(entry.name, names);
      throw UsageError("{}:{}: {} is no option{}", file, entry.line, entry.name,
                       near.empty() ? "" : "; did you mean " + near + "?");
    }
    if (std::ranges::count(given, flag->name)) continue;
    if (!flag->many && entry.values.size() != 1) {
      throw UsageError("{}:{}: {} takes one value, not {}", file, entry.line, entry.name,
                       entry.values.size());
    }
    for (const std::string& value : entry.values) {
      arguments.push_back(fmt::format("--{}={}", flag->name, value));
    }
  }
  return arguments;
}

}  // namespace

const SweepSyntax& sweep_syntax() {
  static const SweepSyntax syntax = {
      .command = "sweep",
      .summary = "Measures all combinations of options, each several times.",
      .repeats_help = "launches of each run",
      .repeats = "5",
      .output = "sweep"};
  return syntax;
}

Parsed parse_sweep(SweepWishes& wishes, const SweepSyntax& command,
                   std::span<const std::string> arguments) {
  wishes.output = command.output;
  const Parsed parsed = parse(syntax_for(wishes, command), arguments);
  if (parsed == Parsed::Help || wishes.file.empty()) return parsed;
  SweepWishes scratch;  // to see which names the line has
  std::vector<std::string> given;
  CommandSyntax listening = syntax_for(scratch, command);
  for (Flag& flag : listening.flags) {
    flag.set = [&given, name = flag.name](const std::string&) { given.push_back(name); };
  }
  parse(listening, arguments);
  const CommandSyntax syntax = syntax_for(wishes, command);
  return parse(syntax, arguments_in(wishes.file, syntax, given));
}

std::string sweep_help(const SweepSyntax& command) {
  SweepWishes unused;
  return help_text(syntax_for(unused, command));
}

}  // namespace lockstep
