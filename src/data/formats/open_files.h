// open_files.h: a cache of open files with a limit.
//
// A data set may have more shards than a process may have open files. Threads share the files. An
// evicted file closes when its last reader is done.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/formats/input_file.h"

namespace lockstep {

class OpenFiles {
 public:
  explicit OpenFiles(std::vector<std::string> paths, size_t most_open = 64)
      : paths_(std::move(paths)), most_open_(most_open) {}

  const std::string& path(size_t file) const { return paths_[file]; }
  size_t count() const { return paths_.size(); }
  // Shared with other readers of the same file. Throws Error when it cannot be opened.
  std::shared_ptr<const InputFile> get(size_t file) const;

 private:
  struct Entry {
    std::shared_ptr<const InputFile> file;
    std::list<size_t>::iterator place;
  };
  std::vector<std::string> paths_;
  size_t most_open_;
  mutable std::mutex mutex_;
  mutable std::list<size_t> recent_;  // the latest first
  mutable std::unordered_map<size_t, Entry> open_;
};

}  // namespace lockstep
