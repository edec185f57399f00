#include "app/describe/completion.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr CompletionShell kShells[] = {
    {"bash", "lockstep.bash", bash_completion},
    {"zsh", "_lockstep", zsh_completion},
    {"fish", "lockstep.fish", fish_completion},
};

}  // namespace

std::span<const CompletionShell> completion_shells() { return kShells; }

std::vector<std::string> first_words(const std::vector<CommandSyntax>& commands) {
  std::vector<std::string> words;
  for (const CommandSyntax& each : commands) {
    const std::string word = each.command.substr(0, each.command.find(' '));
    if (!std::ranges::count(words, word)) words.push_back(word);
  }
  return words;
}

std::vector<std::string> second_words(const std::vector<CommandSyntax>& commands,
                                      const std::string& first) {
  std::vector<std::string> words;
  for (const CommandSyntax& each : commands) {
    if (each.command.starts_with(first + " "))
      words.push_back(each.command.substr(first.size() + 1));
  }
  return words;
}

std::vector<Flag> shown_flags(const CommandSyntax& syntax) {
  std::vector<Flag> flags = syntax.flags;
  std::erase_if(flags, [](const Flag& flag) { return flag.hidden; });
  flags.push_back({.name = "help", .value_name = "", .help = "print the help", .set = {}});
  flags.push_back({.name = "show-config",
                   .value_name = "",
                   .help = "print every option, its value and where it comes from",
                   .set = {}});
  return flags;
}

}  // namespace lockstep
