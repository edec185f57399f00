// The shape of the sources is what docs/architecture.md says: the test reads the tables there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const fs::path kRoot = LOCKSTEP_SOURCE_DIR;
constexpr int kLongestFile = 350;

Words lines_of(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << "cannot read " << file;
  Words lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The lines of the fenced block ```kind of docs/architecture.md, "left <separator> right..." each.
std::map<std::string, Words> table(const std::string& kind) {
  std::map<std::string, Words> rows;
  bool inside = false;
  for (const std::string& line : lines_of(kRoot / "docs/architecture.md")) {
    if (line == "```" + kind) {
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      std::istringstream words(line);
      std::string left, separator;
      words >> left >> separator;
      for (std::string right; words >> right;) rows[left].push_back(right);
    }
  }
  EXPECT_FALSE(rows.empty()) << "docs/architecture.md has no block ```" << kind;
  return rows;
}

// Which folders each may include: the arrows, followed to their ends.
std::map<std::string, std::set<std::string>> reachable_folders() {
  const std::map<std::string, Words> arrows = table("arrows");
  std::map<std::string, std::set<std::string>> reachable;
  for (const auto& [folder, targets] : arrows) {
    for (const std::string& target : targets) {
      if (target == "everything") {
        for (const auto& row : arrows) reachable[folder].insert(row.first);
        reachable[folder].erase(folder);
      } else if (target == "nothing") {
        reachable[folder] = {};
      } else {
        reachable[folder].insert(target);
      }
    }
  }
  for (size_t round = 0; round < arrows.size(); ++round) {
    for (auto& [folder, targets] : reachable) {
      for (const std::string& target : std::set(targets))
        targets.merge(std::set(reachable[target]));
    }
  }
  return reachable;
}

struct Include {
  fs::path file;  // below src/
  int line;
  std::string target;

  std::string text() const { return file.string() + ":" + std::to_string(line) + ": " + target; }
};

std::vector<fs::path> source_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    const fs::path extension = entry.path().extension();
    if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What the line includes, without its marks; empty when it includes nothing.
std::string included(const std::string& line) {
  std::string word;
  std::istringstream words(line);
  words >> std::ws;
  if (words.get() != '#' || !(words >> word) || !word.starts_with("include")) return "";
  const size_t begin = line.find_first_of("<\"");
  const size_t end = line.find_first_of(">\"", begin + 1);
  return begin == std::string::npos || end == std::string::npos
             ? ""
             : line.substr(begin + 1, end - begin - 1);
}

std::vector<Include> includes() {
  std::vector<Include> found;
  for (const fs::path& file : source_files()) {
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      const std::string path = included(line);
      if (!path.empty()) found.push_back({fs::relative(file, kRoot / "src"), number, path});
    }
  }
  return found;
}

std::string first_folder(const fs::path& path) { return path.begin()->string(); }

TEST(Layers, NoFolderReachesItself) {
  for (const auto& [folder, targets] : reachable_folders()) {
    EXPECT_FALSE(targets.contains(folder)) << folder << " is above and below itself";
  }
}

TEST(Layers, ArrowsAndPageNameEveryFolderOfTheSources) {
  const auto arrows = table("arrows");
  std::string page;
  for (const std::string& line : lines_of(kRoot / "docs/architecture.md")) page += line + "\n";
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    const std::string folder = entry.path().filename();
    EXPECT_TRUE(arrows.contains(folder)) << "docs/architecture.md has no arrow for " << folder;
    EXPECT_NE(page.find("| `" + folder + "/` |"), std::string::npos)
        << "docs/architecture.md does not say what " << folder << " knows";
  }
}

TEST(Layers, IncludesPointOnlyWhereTheArrowsDo) {
  const auto reachable = reachable_folders();
  const std::vector<Include> all = includes();
  EXPECT_FALSE(all.empty());
  for (const Include& include : all) {
    const std::string from = first_folder(include.file), to = first_folder(include.target);
    if (from == to || !fs::is_directory(kRoot / "src" / to)) continue;
    const auto row = reachable.find(from);
    EXPECT_TRUE(row != reachable.end() && row->second.contains(to))
        << include.text() << " (no arrow " << from << " -> " << to << ")";
  }
}

TEST(Layers, AForeignLibraryIsIncludedOnlyThroughItsDoor) {
  const auto doors = table("doors");
  for (const Include& include : includes()) {
    for (const auto& [library, places] : doors) {
      if (!include.target.starts_with(library)) continue;
      const bool at_door = std::any_of(places.begin(), places.end(), [&](const std::string& place) {
        return include.file.string().starts_with(place);
      });
      EXPECT_TRUE(at_door) << include.text();
    }
  }
}

TEST(Layers, NoSourceFileIsLong) {
  for (const fs::path& file : source_files()) {
    EXPECT_LE(lines_of(file).size(), size_t(kLongestFile)) << file << ": split it by idea";
  }
}

}  // namespace
}  // namespace lockstep
