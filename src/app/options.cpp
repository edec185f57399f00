#include "app/options.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app/command_words.h"
#include "base/error.h"
#include "base/text.h"
#include "launch/family_options.h"
#include "nn/description/network_file.h"

namespace lockstep {
namespace {

constexpr int kMany = 100'000;

// The names in the syntax of CLI11: "--batch-size" or "--profile,!--noprofile,!--no-profile".
std::string names_for_cli11(const Flag& flag) {
  std::string names = fmt::format("--{}", fmt::join(names_of(flag), ",--"));
  if (is_switch(flag)) names += fmt::format(",!--no{0},!--no-{0}", flag.name);
  return names;
}

std::string unknown_flag(const CommandSyntax& syntax, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> known = {"--help"};
  for (const Flag& flag : syntax.flags) {
    for (const std::string& each : names_of(flag)) {
      if (each.size() > 1) known.push_back("--" + each);
    }
  }
  const std::string near = closest(name, known);
  return near.empty() ? fmt::format("unknown option {}; 'lockstep {} --help' lists them", name,
                                    syntax.command)
                      : fmt::format("unknown option {}; did you mean {}?", name, near);
}

// The remedy for a word that belongs to no flag.
std::string place_of(const CommandSyntax& syntax, const std::string& word) {
  std::error_code none;
  const bool model = is_network_file(word) ? std::filesystem::exists(word, none) : is_model(word);
  return model && std::ranges::count(syntax.flags, "model", &Flag::name) > 0
             ? fmt::format("did you mean --model {}?", word)
             : "give values as --name value or --name=value";
}

// Explains what CLI11 did not recognise: unknown flags, and words that belong to no flag.
void explain_rest(const CommandSyntax& syntax, const std::vector<std::string>& rest,
                  const std::set<std::string>& may_be_unknown, std::vector<std::string>& problems) {
  bool after_unknown = false;  // then a word is most likely the unknown flag's value
  for (const std::string& argument : rest) {
    const bool is_flag = argument.size() > 1 && argument.starts_with('-');
    if (is_flag) {
      const size_t dashes = std::min(argument.find_first_not_of('-'), argument.size());
      const size_t end = std::min(argument.find('='), argument.size());
      after_unknown = end == argument.size();
      if (may_be_unknown.contains(argument.substr(dashes, end - dashes))) continue;
      problems.push_back(unknown_flag(syntax, argument));
    } else if (!after_unknown) {
      problems.push_back(
          fmt::format("unexpected argument '{}'; {}", argument, place_of(syntax, argument)));
    }
    after_unknown = after_unknown && is_flag;
  }
}

std::string too_many_words(const CommandSyntax& syntax, const std::vector<std::string>& words) {
  return fmt::format("'lockstep {}' takes one {}, not {}: {}", syntax.command,
                     syntax.positional->name, words.size(), fmt::join(words, ", "));
}

// CLI11 says "--model: 1 required TEXT missing".
std::string in_our_words(const CLI::ParseError& error) {
  const std::string what = error.what();
  const std::string name = what.substr(0, what.find(':'));
  const bool lacks_value = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  return lacks_value && name.starts_with('-') ? name + " needs a value" : what;
}

// The last one counts.
const OptionDefault* default_of(const CommandSyntax& syntax, const Flag& flag,
                                std::span<const OptionDefault> defaults) {
  const OptionDefault* found = nullptr;
  for (const OptionDefault& each : defaults) {
    const bool meant = each.command.empty() ? !flag.of_others : each.command == syntax.command;
    if (meant && has_name(flag, each.name)) found = &each;
  }
  return found;
}

// `given`: the values on the command line, by flag.
std::set<std::string> overruled_by(const CommandSyntax& syntax,
                                   const std::vector<std::vector<std::string>>& given) {
  std::set<std::string> names;
  for (size_t i = 0; const Flag& flag : syntax.flags) {
    const Overrules& overrules = flag.overrules;
    const auto counts = [&](const std::string& text) {
      return overrules.value.empty() ? !text.empty() : text == overrules.value;
    };
    if (!given[i].empty() && std::ranges::all_of(given[i], counts)) {
      names.insert(overrules.options.begin(), overrules.options.end());
    }
    ++i;
  }
  return names;
}

// As a command line has them.
std::string switch_value(const std::string& text) {
  const std::string small = lower_case(text);
  if (small == "1") return "true";
  return small == "0" ? "false" : small;
}

// Values that come from no command line; empty: they fit.
std::string why_not(const Flag& flag, const std::vector<std::string>& values) {
  if (!flag.many && values.size() != 1) {
    return fmt::format("--{} takes one value, not {}", flag.name, values.size());
  }
  if (is_switch(flag) && values.front() != "true" && values.front() != "false") {
    return fmt::format("--{} must be true or false, not '{}'", flag.name, values.front());
  }
  return "";
}

}  // namespace

void check_option_name(const CommandSyntax& syntax, const std::string& name,
                       const std::string& where) {
  std::vector<std::string> names;
  for (const Flag& flag : syntax.flags) {
    if (has_name(flag, name)) return;
    names.push_back(flag.name);
  }
  const std::string near = closest(name, names);
  throw UsageError("{}: unknown option {}{}", where, name,
                   near.empty() ? "" : "; did you mean " + near + "?");
}

Parsed parse(const CommandSyntax& syntax, std::span<const std::string> arguments,
             std::span<const OptionDefault> defaults, std::vector<OptionSource>* sources) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  bool help = false;
  app.add_flag("--help", help);
  std::vector<std::string> texts(syntax.flags.size());
  std::vector<std::vector<std::string>> lists(syntax.flags.size());
  std::vector<CLI::Option*> options;
  for (size_t i = 0; const Flag& flag : syntax.flags) {
    if (flag.many) {
      options.push_back(
          app.add_option(names_for_cli11(flag), lists[i])->allow_extra_args(false)->take_all());
    } else {
      CLI::Option* option = is_switch(flag) ? app.add_flag(names_for_cli11(flag), texts[i])
                                            : app.add_option(names_for_cli11(flag), texts[i]);
      options.push_back(option->take_last());
    }
    ++i;
  }
  std::vector<std::string> words;
  if (syntax.positional) {
    app.add_option(syntax.positional->name, words)->expected(1, kMany);
  }

  CommandWords given = command_words(syntax, arguments);
  std::ranges::reverse(given.words);  // CLI11 reads them from the back
  std::vector<std::string> problems = given.problems;
  try {
    app.parse(std::move(given.words));
  } catch (const CLI::ParseError& error) {
    problems.push_back(in_our_words(error));
    throw UsageError("{}", fmt::join(problems, "\n"));
  }
  if (help) return Parsed::Help;
  explain_rest(syntax, app.remaining(), given.may_be_unknown, problems);
  if (words.size() > 1 && !syntax.positional->many) {
    // After an unknown flag, the second word is most likely that flag's value.
    if (problems.empty()) problems.push_back(too_many_words(syntax, words));
    words.clear();
  }
  for (size_t i = 0; i < options.size(); ++i) {
    if (!syntax.flags[i].many && options[i]->count() > 0) lists[i] = {texts[i]};
  }
  const std::set<std::string> overruled = overruled_by(syntax, lists);
  const auto set = [&](const auto& target, const std::string& text, const std::string& where) {
    try {
      target.set(text);
    } catch (const UsageError& error) {  // one line among the others
      problems.emplace_back(where + error.what());
    }
  };
  for (size_t i = 0; i < options.size(); ++i) {
    const Flag& flag = syntax.flags[i];
    std::string source = kCommandLine, where;
    if (options[i]->count() == 0) {
      const OptionDefault* found = default_of(syntax, flag, defaults);
      if (!found || overruled.contains(flag.name)) continue;
      source = found->source;
      where = found->source + ": ";
      lists[i] = found->values;
      if (is_switch(flag)) std::ranges::transform(lists[i], lists[i].begin(), switch_value);
      if (const std::string why = why_not(flag, lists[i]); !why.empty()) {
        problems.push_back(where + why);
        continue;
      }
    }
    for (const std::string& text : lists[i]) set(flag, text, where);
    if (sources)
      sources->push_back({flag.name, fmt::format("{}", fmt::join(lists[i], ",")), source});
  }
  for (const std::string& word : words) set(*syntax.positional, word, "");
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  return Parsed::Options;
}

double fraction_in(const std::string& option, const std::string& text) {
  const bool percent = text.ends_with('%');
  std::string number = percent ? text.substr(0, text.size() - 1) : text;
  if (percent && number.ends_with(' ')) number.pop_back();
  const auto value = finite_number(number);
  const double fraction = value.value_or(-1) / (percent ? 100 : 1);
  if (fraction < 0 || fraction >= 1) {
    throw UsageError("--{} must be a fraction such as 2% or 0.02, not '{}'", option, text);
  }
  return fraction;
}

void note_given(std::vector<Flag>& flags, std::string_view name, bool& given) {
  for (Flag& flag : flags) {
    if (flag.name != name) continue;
    flag.set = [&given, set = std::move(flag.set)](const std::string& text) {
      set(text);
      given = true;
    };
  }
}

namespace {

// An empty text would mean this machine. Who writes --hosts means other hosts: most likely a
// variable of a script was not set.
void refuse_empty(Flag& flag) {
  flag.set = [name = flag.name, set = std::move(flag.set)](const std::string& text) {
    if (text.empty()) throw UsageError("--{} is empty; leave it out or name hosts", name);
    set(text);
  };
}

// Which options of a run exclude each other so plainly that the one on the command line is meant.
struct Overruling {
  std::string_view option;
  Overrules overrules;
};
const Overruling kOverruling[] = {
    {"num-batches", {.options = {"num-epochs"}}},
    {"num-epochs", {.options = {"num-batches"}}},
    {"num-eval-batches", {.options = {"num-eval-epochs"}}},
    {"num-eval-epochs", {.options = {"num-eval-batches"}}},
    {"launcher",
     {.value = "local", .options = {"hosts", "worker-hosts", "ps-hosts", "nodes", "ps-per-node"}}},
    {"hosts", {.options = {"worker-hosts", "ps-hosts"}}},
    {"worker-hosts", {.options = {"hosts", "nodes", "num-devices", "num-workers", "ps-per-node"}}},
    {"ps-hosts", {.options = {"num-ps", "ps-in-worker"}}},
    {"job-name", {.options = {"hosts", "nodes", "launcher"}}},
    {"program", {.options = {"hosts", "nodes", "launcher", "worker-hosts", "ps-hosts"}}},
};

}  // namespace

Overrules overrules_of(std::string_view option) {
  const auto* row = std::ranges::find(kOverruling, option, &Overruling::option);
  return row == std::end(kOverruling) ? Overrules{} : row->overrules;
}

std::vector<Flag> run_flags(RunConfig& run) {
  std::vector<Flag> flags;
  for (const RunOption& option : run_options()) {
    flags.push_back(
        {.name = option.name,
         .value_name = flag_value_name(option),
         .help = option.help,
         .set = [&run, &option](const std::string& text) { set_option(run, option, text); },
         .group = option.group,
         .default_text = is_switch(option) ? "" : text_of(run, option),
         .starts_on = is_switch(option) && text_of(run, option) == "true",
         .letter = option.details.letter,
         .aliases = option.details.aliases,
         .many = is_list(option),
         .hidden = option.details.internal,
         .overrules = overrules_of(option.name)});
    if (option.name == "hosts") refuse_empty(flags.back());
  }
  return flags;
}

}  // namespace lockstep
