#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_error_of(int code) {
  const std::string message = std::strerror(code);
  if (code == ENOSPC || code == EDQUOT) throw DiskFullError(message);
  throw Error(message);
}

constexpr std::string_view kRandom = ".XXXXXX", kPart = ".part";

std::string directory_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

// A file with a fresh name, gone again unless it is kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : name_(target + std::string(kRandom) + std::string(kPart)) {
    descriptor_ = mkstemps(name_.data(), static_cast<int>(kPart.size()));
    if (descriptor_ < 0) throw_error_of(errno);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!kept_) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw_error_of(errno);
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

  void become(const std::string& path) {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor_, 0666 & ~mask);  // mkstemps gives it to its owner alone
    if (fsync(descriptor_) != 0 || rename(name_.c_str(), path.c_str()) != 0) {
      throw_error_of(errno);
    }
    kept_ = true;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool kept_ = false;
};

// The rename itself is on disk only when its directory is.
void flush_directory(const std::string& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view text) {
  try {
    TemporaryFile file(path);
    file.write(text);
    file.become(path);
  } catch (const DiskFullError& error) {  // adds the name
    throw DiskFullError("cannot write {}: {}", path, error.what());
  } catch (const Error& error) {  // the same
    throw Error("cannot write {}: {}", path, error.what());
  }
  flush_directory(directory_of(path));
}

std::optional<std::string> target_of_temporary(const std::string& name) {
  const size_t added = kRandom.size() + kPart.size();
  if (name.size() <= added || !name.ends_with(kPart)) return {};
  const std::string_view random =
      std::string_view(name).substr(name.size() - added, kRandom.size());
  const bool made = random.front() == '.' && std::ranges::all_of(random.substr(1), [](char letter) {
                      return std::isalnum(static_cast<unsigned char>(letter)) != 0;
                    });
  if (!made) return {};
  return name.substr(0, name.size() - added);
}

std::string why_unwritable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return "it is a directory";
  // A device or a pipe would be replaced, not written to.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return "it is not a file";
  const std::string directory = directory_of(path);
  if (!fs::exists(directory, error)) return "no such directory: " + directory;
  try {
    TemporaryFile probe(path);
  } catch (const DiskFullError& full) {  // adds the name
    throw DiskFullError("cannot write {}: {}", path, full.what());
  } catch (const Error& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace lockstep
