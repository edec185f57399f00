#include "data/formats/list_directory.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep {

std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> entries;
  std::error_code failure;
  std::filesystem::directory_iterator iterator(directory, failure);
  for (; !failure && iterator != std::filesystem::directory_iterator();
       iterator.increment(failure)) {
    if (!iterator->path().filename().string().starts_with('.')) entries.push_back(iterator->path());
  }
  if (failure)
    throw UsageError("cannot read directory {}: {}", directory.string(), failure.message());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace lockstep
