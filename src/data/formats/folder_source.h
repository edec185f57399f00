// folder_source.h: JPEG files in one folder per class. Classes are numbered from 1, as in the
// ImageNet files: class 0 is the background.
#pragma once

#include <filesystem>

#include "data/formats/example_source.h"

namespace lockstep {

class FolderSource : public ExampleSource {
 public:
  // `classes`: all names, label 1 first. Throws Error for a folder of another class.
  FolderSource(const std::filesystem::path& folder, std::span<const std::string> classes);

  int64_t count() const override { return std::ssize(files_); }
  int64_t bytes() const override;  // stats every file
  std::span<const int64_t> group_begins() const override { return {}; }
  void read(int64_t index, EncodedExample& out) const override;
  void will_need(int64_t) const override {}  // opening a file to say so would wait
  std::string where(int64_t index) const override { return path(index); }

  const std::string& path(int64_t index) const { return files_[static_cast<size_t>(index)].path; }

 private:
  struct File {
    std::string path;
    int64_t label;
  };
  std::vector<File> files_;
};

// The names of the folders in it, sorted.
std::vector<std::string> classes_in(const std::filesystem::path& folder);

// Does it hold folders with JPEG files in them?
bool is_folder_of_classes(const std::filesystem::path& folder);

}  // namespace lockstep
