#include "app/bundled_program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/bundle.h"
#include "base/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// The first word of a file; empty if there is none.
std::string first_word(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "2.15.0" of a line __version__ = '2.15.0+cu132' in torch/version.py. What follows the + names
// the devices that it was built for: the interface is the same.
std::string version_of(const fs::path& torch) {
  std::ifstream file(torch / "version.py");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("__version__")) continue;
    const size_t begin = line.find_first_of("0123456789");
    if (begin == std::string::npos) break;
    return line.substr(begin, line.find_first_not_of("0123456789.", begin) - begin);
  }
  return "of unknown version";
}

bool has_library(const fs::path& torch) {
  std::error_code unknown;
  return fs::exists(torch / "lib" / "libtorch_cpu.so", unknown);
}

// The environment that pip installed the bundle into as libexec/lockstep. Only there: a bundle that
// was copied to a host lies in a directory that others may write beside.
std::optional<fs::path> environment_of(const std::string& program) {
  const fs::path directory = fs::path(program).parent_path();
  if (directory.filename() != "lockstep" || directory.parent_path().filename() != "libexec") {
    return std::nullopt;
  }
  return directory.parent_path().parent_path();
}

std::vector<fs::path> places_in(const fs::path& environment) {
  std::vector<fs::path> places = {environment / "torch"};  // pip install --target
  std::error_code unknown;
  for (const char* lib : {"lib", "lib64"}) {
    for (const auto& entry : fs::directory_iterator(environment / lib, unknown)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        places.push_back(entry.path() / packages / "torch");
      }
    }
  }
  std::ranges::sort(places);
  return places;
}

// Prefers one of the right version: an environment may hold packages of several Pythons.
std::optional<fs::path> find_torch(const Context& context, const std::string& version) {
  std::vector<fs::path> places;
  if (const auto environment = environment_of(context.program)) places = places_in(*environment);
  if (const auto given = context.environment(kTorchVariable)) places.emplace_back(*given);
  std::erase_if(places, [](const fs::path& torch) { return !has_library(torch); });
  const auto right = std::ranges::find(places, version, version_of);
  if (right != places.end()) return *right;
  return places.empty() ? std::nullopt : std::optional(places.front());
}

// Where a user would expect it.
std::string place_text(const Context& context) {
  const auto environment = environment_of(context.program);
  return environment ? "the Python environment " + environment->string()
                     : fs::path(context.program).parent_path().string();
}

std::string torch_of(const Context& context, std::string_view name, const std::string& version) {
  const auto torch = find_torch(context, version);
  if (!torch) {
    throw UsageError("--engine torch: found no torch in {}; {} needs it: pip install torch=={}",
                     place_text(context), name, version);
  }
  if (const std::string found = version_of(*torch); found != version) {
    throw UsageError(
        "--engine torch: {} is torch {}, but {} is built for {}: pip install torch=={}",
        torch->string(), found, name, version, version);
  }
  return torch->string();
}

}  // namespace

BundledStart bundled_start(const Context& context, std::string_view name) {
  const fs::path directory = fs::path(context.program).parent_path();
  const std::string version = first_word(directory / (std::string(name) + kTorchVersionEnding));
  BundledStart start;
  if (!version.empty()) start.torch = torch_of(context, name, version);
  // torch's own first: both then use its OpenMP runtime.
  std::string path = start.torch.empty() ? "" : start.torch + "/lib:";
  path += directory.string();
  const std::string more = context.environment("LD_LIBRARY_PATH").value_or("");
  if (!more.empty()) path += ":" + more;
  start.words = {
      bundled_loader(context.program),          "--argv0", "lockstep", "--library-path", path,
      bundled_executable(context.program, name)};
  return start;
}

}  // namespace lockstep
