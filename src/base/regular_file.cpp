#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr size_t kPieceBytes = 1 << 16;

FileDescriptor open_file(const std::string& path, const FileRules& rules) {
  // Opening a pipe waits for its writer, unless it is opened not to wait.
  struct stat before = {};
  const bool pipe = stat(path.c_str(), &before) == 0 && S_ISFIFO(before.st_mode);
  const bool waits = pipe && rules.pipes;
  const int flags =
      O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK) | (rules.links ? 0 : O_NOFOLLOW);
  FileDescriptor file(open(path.c_str(), flags));
  if (!file.is_open()) {
    throw UsageError("cannot read {}: {}", path,
                     errno == ELOOP && !rules.links ? "it is a link" : std::strerror(errno));
  }
  return file;
}

void check_kind(const std::string& path, const FileDescriptor& file, const FileRules& rules) {
  struct stat about = {};
  if (fstat(file.number(), &about) != 0) {
    throw UsageError("cannot read {}: {}", path, std::strerror(errno));
  }
  if (S_ISDIR(about.st_mode)) throw UsageError("cannot read {}: it is a directory", path);
  const bool fits = S_ISREG(about.st_mode) || (rules.pipes && S_ISFIFO(about.st_mode));
  if (!fits) throw UsageError("cannot read {}: it is not a regular file", path);
}

}  // namespace

std::string read_regular_file(const std::string& path, const FileRules& rules) {
  const FileDescriptor file = open_file(path, rules);
  check_kind(path, file, rules);
  std::string text;
  for (;;) {
    const size_t before = text.size();
    text.resize(before + kPieceBytes);
    const ssize_t count = read(file.number(), text.data() + before, kPieceBytes);
    text.resize(before + static_cast<size_t>(count > 0 ? count : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw UsageError("cannot read {}: {}", path, std::strerror(errno));
    if (count == 0) return text;
    if (static_cast<int64_t>(text.size()) > rules.most_bytes) {
      throw UsageError("cannot read {}: it is larger than {}", path, bytes_text(rules.most_bytes));
    }
  }
}

}  // namespace lockstep
