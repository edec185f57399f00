// fish_completion.cpp: a line of fish for every option of every command.
#include <fmt/ranges.h>

#include "app/describe/completion.h"
#include "app/describe/option_words.h"

namespace lockstep {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string values_of(const Flag& flag) {
  const OptionWords words = words_for(flag);
  const std::string list = fmt::format("{}", fmt::join(words.words, " "));
  switch (words.values) {
    case OptionValues::None:
      return "";
    case OptionValues::Any:
      return " -x";
    case OptionValues::File:
      return " -r -F";
    case OptionValues::Directory:
      return " -x -a '(__fish_complete_directories)'";
    case OptionValues::Words:
      return " -x -a " + quoted(list);
    case OptionValues::WordsOrFile:
      return " -r -F -a " + quoted(list);
  }
  return "";
}

std::string condition_of(const CommandSyntax& command) {
  const size_t blank = command.command.find(' ');
  const std::string first = "__fish_seen_subcommand_from " + command.command.substr(0, blank);
  return blank == std::string::npos
             ? first
             : first + "; and __fish_seen_subcommand_from " + command.command.substr(blank + 1);
}

std::string lines_of(const CommandSyntax& command) {
  const std::string start = "complete -c lockstep -n " + quoted(condition_of(command));
  std::string text;
  for (const Flag& flag : shown_flags(command)) {
    text += fmt::format("{} -l {}{}{} -d {}\n", start, flag.name,
                        flag.letter ? fmt::format(" -s {}", flag.letter) : "", values_of(flag),
                        quoted(flag.help));
  }
  Flag positional;
  positional.name = command.command == "models" ? "model" : "";
  positional.value_name = command.command == "completion" ? "bash|zsh|fish" : "NAME";
  const OptionWords words = words_for(positional);
  if (!words.words.empty()) {
    text +=
        fmt::format("{} -a {}\n", start, quoted(fmt::format("{}", fmt::join(words.words, " "))));
  }
  if (command.positional && command.command != "completion") text += start + " -F\n";
  return text;
}

}  // namespace

std::string fish_completion(const std::vector<CommandSyntax>& commands) {
  std::string text =
      "# Completion of lockstep for fish; 'lockstep completion fish' prints it.\n\n"
      "complete -c lockstep -f\n";
  for (const std::string& first : first_words(commands)) {
    const std::vector<std::string> second = second_words(commands, first);
    std::string summary = fmt::format("{}", fmt::join(second, ", "));
    for (const CommandSyntax& each : commands) {
      if (each.command == first) summary = each.summary;
    }
    text += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", first,
                        quoted(summary));
    if (second.empty()) continue;
    text += fmt::format(
        "complete -c lockstep -n '__fish_seen_subcommand_from {}; and not "
        "__fish_seen_subcommand_from {}' -a {}\n",
        first, fmt::join(second, " "), quoted(fmt::format("{}", fmt::join(second, " "))));
  }
  for (const CommandSyntax& command : commands) text += "\n" + lines_of(command);
  return text;
}

}  // namespace lockstep
