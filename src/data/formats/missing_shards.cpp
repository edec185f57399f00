#include "data/formats/missing_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "data/formats/data_formats.h"

namespace lockstep {
namespace {

// The parts of "train-00003-of-00008".
struct ShardName {
  std::string before;  // "train-"
  int64_t shard = 0;
  std::string behind;  // "-of-00008"
  int64_t shards = 0;
  size_t digits = 5;
};

std::optional<ShardName> parts_of(const std::string& name) {
  const size_t behind = name.rfind("-of-");
  const size_t number = behind == std::string::npos ? behind : name.rfind('-', behind - 1);
  if (number == std::string::npos) return {};
  const std::string shard_text = name.substr(number + 1, behind - number - 1);
  const auto shard = whole_number(shard_text), shards = whole_number(name.substr(behind + 4));
  if (!shard || !shards || *shard < 0 || *shard >= *shards) return {};
  return ShardName{name.substr(0, number + 1), *shard, name.substr(behind), *shards,
                   shard_text.size()};
}

}  // namespace

MissingShards missing_shards(const std::filesystem::path& directory, Split split) {
  struct Family {
    ShardName any;
    std::set<int64_t> there;
  };
  std::map<std::string, Family> families;  // by "-of-00008"
  for (const std::string& file : record_files(directory, split)) {
    const auto name = parts_of(std::filesystem::path(file).filename().string());
    if (!name) continue;
    Family& family = families[name->behind];
    family.any = *name;
    family.there.insert(name->shard);
  }
  MissingShards missing;
  for (const auto& [behind, family] : families) {
    const auto& [name, numbers] = family;
    missing.all += name.shards;
    missing.count += name.shards - std::ssize(numbers);
    int64_t first = 0;
    while (numbers.contains(first)) ++first;
    if (first < name.shards && missing.first.empty()) {
      missing.first = fmt::format("{}{:0{}}{}", name.before, first, name.digits, behind);
    }
  }
  return missing;
}

std::string words_for(const MissingShards& missing) {
  if (missing.count == 0) return "";
  return fmt::format("{} of {} {} missing, first {}", thousands_text(missing.count),
                     count_text(missing.all, "file"), missing.count == 1 ? "is" : "are",
                     missing.first);
}

}  // namespace lockstep
