// data_formats.h: the forms in which data sets lie in directories. One row each: how to tell that
// it is there, and how to open it.
#pragma once

#include <filesystem>

#include "data/formats/damage.h"
#include "data/formats/example_source.h"

namespace lockstep {

struct OpenRequest {
  std::filesystem::path directory;
  Split split = Split::Training;
  Damage& damage;   // decides about what cannot be read
  int threads = 1;  // to look through files with
};

struct DataFormat {
  std::string_view name;                     // "TFRecord files"
  std::string_view files, validation_files;  // what is looked for, for messages
  bool (*is_there)(const std::filesystem::path& directory, Split split);
  std::string (*data_name)(const std::filesystem::path& directory);  // of nn/datasets.h
  std::unique_ptr<ExampleSource> (*open)(const OpenRequest& request);
};

std::span<const DataFormat> data_formats();

// The format of what is there. Throws Error: nothing is, or the directory cannot be read.
const DataFormat& guess_format(const std::filesystem::path& directory,
                               Split split = Split::Training);

// Guesses, opens. Throws Error when there is no example.
std::unique_ptr<ExampleSource> open_examples(const OpenRequest& request);

// The TFRecord files of a split, sorted.
std::vector<std::string> record_files(const std::filesystem::path& directory, Split split);

// In a directory of TFRecord files that are not ImageNet's: whose they are.
inline constexpr const char* kDataNameFile = "data_name.txt";

}  // namespace lockstep
