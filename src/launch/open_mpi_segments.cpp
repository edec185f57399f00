#include "launch/open_mpi_segments.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <thread>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr Seconds kForRanks{5};
constexpr auto kTurn = std::chrono::milliseconds(200);
constexpr std::chrono::seconds kTick{1};  // times of files are whole seconds here

bool is_segment(const std::string& name) {
  return name.starts_with("vader_segment.") || name.starts_with("sm_segment.");
}

std::vector<std::string> own_segments(const SegmentSearch& search) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(search.directory, error)) {
    const std::string path = entry.path().string();
    struct stat facts = {};
    if (!is_segment(entry.path().filename()) || lstat(path.c_str(), &facts) != 0) continue;
    const auto made = std::chrono::system_clock::from_time_t(facts.st_ctime);
    const bool mine = facts.st_uid == geteuid() && S_ISREG(facts.st_mode);
    if (mine && made + kTick >= search.newer_than) found.push_back(path);
  }
  return found;
}

bool is_younger(const std::string& path, std::chrono::seconds age) {
  struct stat facts = {};
  if (lstat(path.c_str(), &facts) != 0) return true;
  const auto made = std::chrono::system_clock::from_time_t(facts.st_ctime);
  return std::chrono::system_clock::now() - made < age;
}

}  // namespace

std::vector<std::string> unused_segments(const SegmentSearch& search) {
  std::vector<std::string> unused = own_segments(search);
  std::error_code error;
  for (const auto& process : fs::directory_iterator(search.processes, error)) {
    if (unused.empty()) break;
    const std::string number = process.path().filename();
    if (!std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; }))
      continue;
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      std::erase_if(unused, [&](const std::string& path) { return line.ends_with(path); });
    }
  }
  std::erase_if(unused, [&](const auto& path) { return is_younger(path, search.youngest); });
  return unused;
}

void remove_unused_segments(const SegmentSearch& search) {
  const TimePoint begin = Clock::now();
  while (!own_segments(search).empty() && seconds_since(begin) < kForRanks) {
    for (const std::string& path : unused_segments(search)) unlink(path.c_str());
    std::this_thread::sleep_for(kTurn);
  }
}

}  // namespace lockstep
