#include "base/bundle.h"

#include <algorithm>
#include <filesystem>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// src/app/bundle_start.cpp and packaging/bundle.sh use the same names.
constexpr const char* kLoader = "ld-linux-x86-64.so.2";
constexpr const char* kStart = "lockstep";
constexpr const char* kProgram = "lockstep-program";
constexpr const char* kProgramEnding = "-program";

bool is_bundle(const fs::path& directory) {
  std::error_code unknown;
  return std::ranges::all_of(
      std::initializer_list<const char*>{kLoader, kStart, kProgram},
      [&](const char* name) { return fs::exists(directory / name, unknown); });
}

}  // namespace

std::string startable(const std::string& executable) {
  const fs::path path = executable;
  const bool bundled = path.filename() == kLoader && is_bundle(path.parent_path());
  return bundled ? (path.parent_path() / kStart).string() : executable;
}

std::vector<std::string> bundle_files(const std::string& program) {
  if (!is_bundled(program)) return {};
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(program).parent_path())) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool is_bundled(const std::string& program) {
  const fs::path path = program;
  return path.filename() == kStart && is_bundle(path.parent_path());
}

std::string bundled_executable(const std::string& program, std::string_view name) {
  return (fs::path(program).parent_path() / name).string() + kProgramEnding;
}

std::string bundled_loader(const std::string& program) {
  return (fs::path(program).parent_path() / kLoader).string();
}

}  // namespace lockstep
