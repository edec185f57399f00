// missing_shards.h: finds missing TFRecord files: their names tell how many there should be.
#pragma once

#include <filesystem>
#include <string>

#include "data/formats/example_source.h"

namespace lockstep {

struct MissingShards {
  int64_t count = 0, all = 0;
  std::string first;  // "train-00003-of-00008"
};

// For a directory of any format; without such names none is missing.
MissingShards missing_shards(const std::filesystem::path& directory, Split split);

// "3 of 8 files are missing, first train-00003-of-00008"; empty: none is.
std::string words_for(const MissingShards& missing);

}  // namespace lockstep
