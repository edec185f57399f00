// completion.h: completion scripts of shells, made from the tables of commands and options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/options.h"

namespace lockstep {

struct CompletionShell {
  std::string_view name;
  std::string_view file;  // as the shell expects it to be called
  std::string (*script)(const std::vector<CommandSyntax>& commands);
};
std::span<const CompletionShell> completion_shells();

std::string bash_completion(const std::vector<CommandSyntax>& commands);
std::string zsh_completion(const std::vector<CommandSyntax>& commands);
std::string fish_completion(const std::vector<CommandSyntax>& commands);

// "train", "data": the first words of all commands, in order.
std::vector<std::string> first_words(const std::vector<CommandSyntax>& commands);
// "pack", ... of data; empty: the command has no commands of its own.
std::vector<std::string> second_words(const std::vector<CommandSyntax>& commands,
                                      const std::string& first);
// The options of the help, and --help and --show-config.
std::vector<Flag> shown_flags(const CommandSyntax& syntax);

}  // namespace lockstep
