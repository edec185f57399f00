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

#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const fs::path kRoot = fs::path(project_path("src")).parent_path();
constexpr int kLongestFile = 350;
constexpr int kMostSources = 30;

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

// Which rooms each may include: the arrows, followed to their ends. A room is a folder of src/, or
// where that has rooms of its own, "folder/room".
class Arrows {
 public:
  Arrows() {
    const std::map<std::string, Words> rows = table("arrows");
    for (const auto& [room, targets] : rows) rooms_.insert(room);
    for (const auto& [room, targets] : rows) {
      for (const std::string& target : targets) add(room, target);
    }
    for (size_t round = 0; round < rows.size(); ++round) {
      for (auto& [room, targets] : reachable_) {
        for (const std::string& target : std::set(targets)) {
          targets.merge(std::set(reachable_[target]));
        }
      }
    }
  }

  const std::set<std::string>& rooms() const { return rooms_; }
  const std::map<std::string, std::set<std::string>>& reachable() const { return reachable_; }
  bool allow(const std::string& from, const std::string& to) const {
    const auto row = reachable_.find(from);
    return from == to || (row != reachable_.end() && row->second.contains(to));
  }

  // Of a path below src/.
  std::string room_of(const fs::path& path) const {
    const std::string folder = path.begin()->string();
    const fs::path below = path.parent_path();
    const std::string room =
        below == folder ? folder : folder + "/" + std::next(path.begin())->string();
    return rooms_.contains(room) ? room : folder;
  }

 private:
  void add(const std::string& room, const std::string& target) {
    std::set<std::string>& targets = reachable_[room];
    if (target == "nothing") return;
    for (const std::string& other : rooms_) {
      const bool named =
          target == "everything" || other == target || other.starts_with(target + "/");
      if (named && other != room) targets.insert(other);
    }
  }

  std::set<std::string> rooms_;
  std::map<std::string, std::set<std::string>> reachable_;
};

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

TEST(Layers, NoRoomReachesItself) {
  const Arrows arrows;
  for (const auto& [room, targets] : arrows.reachable()) {
    EXPECT_FALSE(targets.contains(room)) << room << " is above and below itself";
  }
}

TEST(Layers, ArrowsAndPageNameEveryFolderOfTheSources) {
  const Arrows arrows;
  std::string page;
  for (const std::string& line : lines_of(kRoot / "docs/architecture.md")) page += line + "\n";
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    const std::string folder = entry.path().filename();
    const bool known = std::ranges::any_of(arrows.rooms(), [&](const std::string& room) {
      return room == folder || room.starts_with(folder + "/");
    });
    EXPECT_TRUE(known) << "docs/architecture.md has no arrow for " << folder;
    EXPECT_NE(page.find("| `" + folder + "/` |"), std::string::npos)
        << "docs/architecture.md does not say what " << folder << " holds";
  }
}

TEST(Layers, IncludesPointOnlyWhereTheArrowsDo) {
  const Arrows arrows;
  const std::vector<Include> all = includes();
  EXPECT_FALSE(all.empty());
  for (const Include& include : all) {
    if (!fs::exists(kRoot / "src" / include.target)) continue;
    const std::string from = arrows.room_of(include.file), to = arrows.room_of(include.target);
    EXPECT_TRUE(arrows.allow(from, to))
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

TEST(Layers, NoFolderHoldsTooManySources) {
  std::map<fs::path, int> sources;
  for (const fs::path& file : source_files()) {
    if (file.extension() == ".cpp") ++sources[file.parent_path()];
  }
  for (const auto& [folder, count] : sources) {
    EXPECT_LE(count, kMostSources) << folder << " needs rooms";
  }
}

TEST(Layers, NoSourceFileIsLong) {
  for (const fs::path& file : source_files()) {
    EXPECT_LE(lines_of(file).size(), size_t(kLongestFile)) << file << ": split it by idea";
  }
}

}  // namespace
}  // namespace lockstep
