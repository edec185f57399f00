// bash_completion.cpp: a function of bash with a case per command and per option.
#include <fmt/ranges.h>

#include <map>

#include "app/describe/completion.h"
#include "app/describe/option_words.h"

namespace lockstep {
namespace {

// bash breaks words at '=' and ':', so --model=res and alexnet:256 come as several.
constexpr const char* kFunction = R"bash(
_lockstep() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$(_lockstep_commands "") --help --version" -- "$cur"))
    return
  fi
  local command="${COMP_WORDS[1]}" inner
  if [[ $command == help ]]; then
    ((COMP_CWORD == 2)) && command="" || command="${COMP_WORDS[2]}"
    COMPREPLY=($(compgen -W "$(_lockstep_commands "$command")" -- "$cur"))
    return
  fi
  inner="$(_lockstep_commands "$command")"
  if [[ -n $inner ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "$inner --help" -- "$cur"))
      return
    fi
    command+=" ${COMP_WORDS[2]}"
  fi
  if [[ $cur == -* && $prev != "=" ]]; then
    COMPREPLY=($(compgen -W "$(_lockstep_options "$command")" -- "$cur"))
    return
  fi
  local values before="" last="${cur##*,}"
  [[ $cur != *,* ]] || before="${cur%,*},"
  values="$(_lockstep_values "$command" "$prev")"
  case "$values" in
    :file) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    :dir) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    :any) ;;
    :none) mapfile -t COMPREPLY < <(compgen -W "$(_lockstep_words "$command")" -- "$cur"; compgen -f -- "$cur") ;;
    *:file) mapfile -t COMPREPLY < <(compgen -P "$before" -W "${values% :file}" -- "$last"; compgen -f -- "$cur") ;;
    *) COMPREPLY=($(compgen -P "$before" -W "$values" -- "$last")) ;;
  esac
}
complete -o filenames -F _lockstep lockstep
)bash";

constexpr const char* kNoValue = ":none";  // also of what is no option

std::string values_text(const Flag& flag) {
  const OptionWords words = words_for(flag);
  switch (words.values) {
    case OptionValues::None:
      return kNoValue;
    case OptionValues::Any:
      return ":any";
    case OptionValues::File:
      return ":file";
    case OptionValues::Directory:
      return ":dir";
    case OptionValues::Words:
      return fmt::format("{}", fmt::join(words.words, " "));
    case OptionValues::WordsOrFile:
      return fmt::format("{} :file", fmt::join(words.words, " "));
  }
  return ":any";
}

// Rows of a case of "COMMAND OPTION": first those of commands where an option means something else
// than in the command that has it first, then those that hold for all.
class ValuesCase {
 public:
  void add(const std::string& command, const Flag& flag) {
    const std::string values = values_text(flag);
    const auto [first, is_new] = first_meaning_.try_emplace(flag.name, values);
    if (is_new && values != kNoValue) {
      for_all_ += row("*", flag, values);
    } else if (first->second != values) {
      special_ += row(fmt::format("\"{}\"", command), flag, values);
    }
  }
  std::string text() const { return special_ + for_all_; }

 private:
  static std::string row(const std::string& command, const Flag& flag, const std::string& values) {
    const std::string letter =
        flag.letter ? fmt::format(" | {}\" -{}\"", command, flag.letter) : "";
    return fmt::format("    {}\" --{}\"{}) echo \"{}\" ;;\n", command, flag.name, letter, values);
  }

  std::map<std::string, std::string> first_meaning_;
  std::string special_, for_all_;
};

std::string commands_case(const std::vector<CommandSyntax>& commands) {
  const std::vector<std::string> first = first_words(commands);
  std::string text = fmt::format("    \"\") echo \"{} help\" ;;\n", fmt::join(first, " "));
  for (const std::string& word : first) {
    const std::vector<std::string> second = second_words(commands, word);
    if (!second.empty()) {
      text += fmt::format("    {}) echo \"{}\" ;;\n", word, fmt::join(second, " "));
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<CommandSyntax>& commands) {
  std::string options, words;
  ValuesCase values;
  for (const CommandSyntax& command : commands) {
    std::vector<std::string> names;
    for (const Flag& flag : shown_flags(command)) {
      names.push_back("--" + flag.name);
      values.add(command.command, flag);
    }
    options += fmt::format("    \"{}\") echo \"{}\" ;;\n", command.command, fmt::join(names, " "));
  }
  Flag model;
  model.name = "model";
  model.value_name = "NAME";
  words = fmt::format("    models) echo \"{}\" ;;\n", fmt::join(words_for(model).words, " "));
  words += "    completion) echo \"bash zsh fish\" ;;\n";
  return fmt::format(
      "# Completion of lockstep for bash; 'lockstep completion bash' prints it.\n"
      "# shellcheck shell=bash disable=SC2207\n\n"
      "_lockstep_commands() {{\n  case \"$1\" in\n{}  esac\n}}\n\n"
      "_lockstep_options() {{\n  case \"$1\" in\n{}  esac\n}}\n\n"
      "_lockstep_words() {{\n  case \"$1\" in\n{}  esac\n}}\n\n"
      "_lockstep_values() {{\n  case \"$1 $2\" in\n{}    *) echo \":none\" ;;\n  esac\n}}\n{}",
      commands_case(commands), options, words, values.text(), kFunction);
}

}  // namespace lockstep
