// command_words.h: the words of a command line in one form: long names with two dashes, each value
// a word of its own.
//
// Accepted besides: underscores in names, one dash in front of a long name (as absl does it),
// letters in a row (-vn 2, -n2), flag files, and -h WORD for --hosts WORD. Values stay as they are.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/options.h"

namespace lockstep {

struct CommandWords {
  std::vector<std::string> words;
  std::set<std::string> may_be_unknown;  // names without dashes in front, from --undefok
  std::vector<std::string> problems;     // flag files that are missing or contain themselves
};

CommandWords command_words(const CommandSyntax& syntax, std::span<const std::string> arguments);

bool is_switch(const Flag& flag);
// All names of a flag, without dashes in front; of a switch not those that turn it off.
std::vector<std::string> names_of(const Flag& flag);
bool has_name(const Flag& flag, const std::string& name);

}  // namespace lockstep
