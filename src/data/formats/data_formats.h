// data_formats.h: the table of data set formats: how to recognise a format in a directory, and how
// to open it.
#pragma once

#include <filesystem>

#include "data/formats/damage.h"
#include "data/formats/example_source.h"

namespace lockstep {

struct OpenRequest {
  std::filesystem::path directory;
  Split split = Split::Training;
  Damage& damage;   // handles unreadable data
  int threads = 1;  // for scanning files
};

struct DataFormat {
  std::string_view name;                     // "TFRecord files"
  std::string_view files, validation_files;  // expected file names, for messages
  bool (*is_there)(const std::filesystem::path& directory, Split split);
  std::string (*data_name)(const std::filesystem::path& directory);  // of nn/datasets.h
  std::unique_ptr<ExampleSource> (*open)(const OpenRequest& request);
};

std::span<const DataFormat> data_formats();

// The format of a directory. Throws Error if it is unknown or the directory cannot be read.
const DataFormat& guess_format(const std::filesystem::path& directory,
                               Split split = Split::Training);

// Guesses the format and opens the data set. Throws Error if it has no examples.
std::unique_ptr<ExampleSource> open_examples(const OpenRequest& request);

// The TFRecord files of a split, sorted.
std::vector<std::string> record_files(const std::filesystem::path& directory, Split split);

// Names the data set of TFRecord files in a directory, if it is not ImageNet.
inline constexpr const char* kDataNameFile = "data_name.txt";

}  // namespace lockstep
