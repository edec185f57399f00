// missing_shards.h: the names of TFRecord files say how many there are: whether some are not.
#pragma once

#include <filesystem>
#include <string>

#include "data/formats/example_source.h"

namespace lockstep {

struct MissingShards {
  int64_t count = 0, all = 0;
  std::string first;  // "train-00003-of-00008"
};

// Of a directory of any format: without such files none is missing.
MissingShards missing_shards(const std::filesystem::path& directory, Split split);

// "3 of 8 files are not there, train-00003-of-00008 the first of them"; empty: all are.
std::string words_for(const MissingShards& missing);

}  // namespace lockstep
