// Every file of the corpus is read or refused.
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/formats/list_directory.h"
#include "data/samples.h"
#include "fuzz/targets.h"
#include "support/paths.h"

namespace lockstep {
namespace {

auto corpus_of(const FuzzTarget& target) {
  return list_directory(project_path("tests/fuzz/corpus/") + std::string(target.name));
}

TEST(FuzzCorpus, EveryTargetIsBuiltByItsName) {
  std::string names;
  for (const FuzzTarget& target : fuzz_targets()) {
    names += (names.empty() ? "" : ",") + std::string(target.name);
  }
  EXPECT_EQ(names, LOCKSTEP_FUZZ_TARGETS);
}

TEST(FuzzCorpus, EveryInputIsReadOrRefused) {
  for (const FuzzTarget& target : fuzz_targets()) {
    const auto files = corpus_of(target);
    EXPECT_FALSE(files.empty()) << target.name;
    for (const std::filesystem::path& file : files) {
      const ByteBuffer bytes = read_file(file.string());
      try {
        target.read(bytes);
      } catch (const Error&) {  // refused
      }
    }
  }
}

// The same inputs with one byte changed at every place, in every eighth way: a small search of its
// own, where there is no libFuzzer.
TEST(FuzzCorpus, EveryChangedByteIsReadOrRefused) {
  constexpr size_t kLongest = 600;
  for (const FuzzTarget& target : fuzz_targets()) {
    for (const auto& file : corpus_of(target)) {
      ByteBuffer bytes = read_file(file.string());
      if (bytes.size() > kLongest) continue;
      for (size_t at = 0; at < bytes.size(); ++at) {
        for (int flip = 1; flip < 256; flip <<= 1) {
          bytes[at] ^= static_cast<uint8_t>(flip);
          try {
            target.read(bytes);
          } catch (const Error&) {  // refused
          }
          bytes[at] ^= static_cast<uint8_t>(flip);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
