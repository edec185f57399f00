// zsh_completion.cpp: a function of zsh that gives _arguments the options of each command.
#include <fmt/ranges.h>

#include "app/describe/completion.h"
#include "app/describe/option_words.h"
#include "base/shell_quote.h"

namespace lockstep {
namespace {

std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string action_of(const Flag& flag) {
  const OptionWords words = words_for(flag);
  const std::string list = escaped(fmt::format("{}", fmt::join(words.words, " ")), "\\:");
  switch (words.values) {
    case OptionValues::None:
    case OptionValues::Any:
      return " ";
    case OptionValues::File:
      return "_files";
    case OptionValues::Directory:
      return "_files -/";
    case OptionValues::Words:
      return " _lockstep_words " + list;
    case OptionValues::WordsOrFile:
      return " _lockstep_words_or_files " + list;
  }
  return " ";
}

std::string spec_of(const Flag& flag) {
  const std::string help = escaped(flag.help, "\\[]:");
  if (words_for(flag).values == OptionValues::None) {
    return fmt::format("--{}[{}]", flag.name, help);
  }
  return fmt::format("*--{}=[{}]:{}:{}", flag.name, help, escaped(flag.value_name, "\\:"),
                     action_of(flag));
}

std::string case_of(const CommandSyntax& command, const std::string& word) {
  std::string text = fmt::format("    {})\n      _arguments -S", word);
  for (const Flag& flag : shown_flags(command)) {
    text += " \\\n        " + shell_quoted(spec_of(flag));
  }
  Flag positional;
  positional.name = command.command == "models" ? "model" : "";
  positional.value_name = command.command == "completion" ? "bash|zsh|fish" : "FILE";
  if (command.positional) {
    text += " \\\n        " +
            shell_quoted(fmt::format("*:{}:{}", escaped(command.positional->name, ":"),
                                     action_of(positional)));
  }
  return text + "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CommandSyntax>& commands) {
  std::string cases;
  const std::vector<std::string> first = first_words(commands);
  for (const std::string& word : first) {
    const std::vector<std::string> second = second_words(commands, word);
    if (second.empty()) continue;
    cases += fmt::format("    {})\n      compadd -- {}\n      ;;\n", word, fmt::join(second, " "));
  }
  for (const CommandSyntax& command : commands) {
    cases += case_of(command, shell_quoted(command.command));
  }
  return fmt::format(
      "#compdef lockstep\n"
      "# Completion of lockstep for zsh; 'lockstep completion zsh' prints it.\n\n"
      "_lockstep_words() {{\n  compset -P '*,'\n  compadd -- \"$@\"\n}}\n\n"
      "_lockstep_words_or_files() {{\n  _lockstep_words \"$@\"\n  _files\n}}\n\n"
      "_lockstep() {{\n"
      "  if ((CURRENT == 2)); then\n    compadd -- {} help\n    return\n  fi\n"
      "  local command=$words[2]\n"
      "  if [[ $command == data && CURRENT -gt 3 ]]; then\n"
      "    command=\"data $words[3]\"\n    shift words\n    ((CURRENT--))\n  fi\n"
      "  shift words\n  ((CURRENT--))\n"
      "  case $command in\n{}  esac\n}}\n\n"
      "if [[ $funcstack[1] == _lockstep ]]; then\n  _lockstep \"$@\"\nelse\n"
      "  compdef _lockstep lockstep\nfi\n",
      fmt::join(first, " "), cases);
}

}  // namespace lockstep
