// includes_test.cpp: the includes of src/ follow the arrows and doors of docs/architecture.md.
//
// The rules are read from the document itself, so the picture that a newcomer sees is the one that
// holds. A rule is a line "left -> right..." inside the fenced block of its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Rules = std::map<std::string, std::set<std::string>>;

const fs::path kRoot = LOCKSTEP_ROOT;

struct Include {
  std::string file;    // "nn/graph.h": the file that includes, below src/
  std::string target;  // "tensor/shape.h", "dnnl.hpp"
};

std::string text_between(const std::string& line, char open, char close) {
  const size_t begin = line.find(open);
  const size_t end = line.find(close, begin + 1);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return line.substr(begin + 1, end - begin - 1);
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Rules rules_in_document(std::string_view block) {
  Rules rules;
  bool inside = false;
  for (const std::string& line : lines_of(kRoot / "docs" / "architecture.md")) {
    if (line.starts_with("```")) inside = line.substr(3) == block;
    std::istringstream words(line);
    std::string left, arrow;
    if (!inside || !(words >> left >> arrow) || arrow != "->") continue;
    std::set<std::string>& right = rules[left];
    for (std::string word; words >> word;) right.insert(word);
  }
  EXPECT_FALSE(rules.empty()) << "docs/architecture.md has no block " << block;
  return rules;
}

std::vector<Include> includes_of_sources() {
  std::vector<Include> includes;
  const fs::path source = kRoot / "src";
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    const std::string file = fs::relative(entry.path(), source);
    for (const std::string& line : lines_of(entry.path())) {
      if (!line.starts_with("#include")) continue;
      const std::string own = text_between(line, '"', '"');
      includes.push_back({file, own.empty() ? text_between(line, '<', '>') : own});
    }
  }
  return includes;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find('/')); }

// Everything that can be reached by following arrows, the folder itself included.
std::set<std::string> reachable(const Rules& arrows, const std::string& folder) {
  std::set<std::string> found = {folder};
  for (std::vector<std::string> open = {folder}; !open.empty();) {
    const std::string from = open.back();
    open.pop_back();
    const auto rule = arrows.find(from);
    if (rule == arrows.end()) continue;
    for (const std::string& to : rule->second) {
      if (found.insert(to).second) open.push_back(to);
    }
  }
  return found;
}

TEST(Includes, PointDownTheArrowsOfTheDocument) {
  const Rules arrows = rules_in_document("arrows");
  for (const Include& include : includes_of_sources()) {
    const std::string target = folder_of(include.target);
    if (!arrows.contains(target)) continue;  // a foreign or standard header
    EXPECT_THAT(reachable(arrows, folder_of(include.file)), ::testing::Contains(target))
        << "src/" << include.file << " includes \"" << include.target
        << "\", an arrow that docs/architecture.md does not have";
  }
}

TEST(Includes, OfAForeignLibraryPassItsOneDoor) {
  const Rules doors = rules_in_document("doors");
  for (const Include& include : includes_of_sources()) {
    for (const auto& [library, allowed] : doors) {
      if (!include.target.starts_with(library)) continue;
      const std::string& door = *allowed.begin();
      EXPECT_THAT(include.file, ::testing::StartsWith(door))
          << "src/" << include.file << " includes <" << include.target
          << ">, whose one door is src/" << door;
    }
  }
}

TEST(Includes, ComeFromFoldersThatTheDocumentNames) {
  const Rules arrows = rules_in_document("arrows");
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(arrows.contains(entry.path().filename()))
        << "docs/architecture.md has no arrow for " << entry.path();
  }
}

TEST(Includes, HaveNoArrowThatLeadsBackToItsFolder) {
  const Rules arrows = rules_in_document("arrows");
  for (const auto& [folder, targets] : arrows) {
    for (const std::string& target : targets) {
      EXPECT_THAT(reachable(arrows, target), ::testing::Not(::testing::Contains(folder)))
          << folder << " -> " << target << " closes a circle";
    }
  }
}

}  // namespace
}  // namespace lockstep
