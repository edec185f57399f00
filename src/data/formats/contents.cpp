#include "data/formats/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/fnv1a.h"
#include "base/text.h"

namespace lockstep {

std::string contents_of(const ExampleSource& source) {
  const int64_t count = source.count();
  const auto begins = source.group_begins();
  Fnv1a hash;
  // Wherever a copy lies, its files have the same names.
  const auto add = [&](int64_t example) {
    hash.add(static_cast<uint64_t>(example));
    if (example < count) {
      hash.add(std::filesystem::path(source.where(example)).filename().string());
    }
  };
  for (const int64_t begin : begins) add(begin);
  if (count > 0) add(count - 1);
  return fmt::format("{} in {} ({:08x})", count_text(count, "example"),
                     count_text(std::max<int64_t>(std::ssize(begins), 1), "file"),
                     static_cast<uint32_t>(hash.value() ^ hash.value() >> 32));
}

}  // namespace lockstep
