// option_words.h: what a shell may complete behind an option.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"

namespace lockstep {

enum class OptionValues {
  None,         // a switch
  Any,          // numbers, names: nothing to complete
  Words,        // one of the words
  WordsOrFile,  // or a file
  File,
  Directory,
};

struct OptionWords {
  OptionValues values = OptionValues::Any;
  std::vector<std::string> words = {};
};

OptionWords words_for(const Flag& flag);

}  // namespace lockstep
