#include "base/regular_file.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

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
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (rules.links ? 0 : O_NOFOLLOW);
  FileDescriptor file(open(path.c_str(), flags));
  if (!file.is_open()) {
    throw UsageError("cannot read {}: {}", path,
                     errno == ELOOP && !rules.links ? "it is a link" : std::strerror(errno));
  }
  return file;
}

// A group named like the user is the user's own, as in launch/remote_scripts.cpp.
bool is_own_group(gid_t number) {
  const passwd* user = getpwuid(geteuid());
  const group* owning = user && user->pw_gid == number ? getgrgid(number) : nullptr;
  return owning && std::strcmp(user->pw_name, owning->gr_name) == 0;
}

// Then the bits of the group are the mask of what the list allows to others.
bool has_access_list(const FileDescriptor& file) {
  return fgetxattr(file.number(), "system.posix_acl_access", nullptr, 0) > 0;
}

std::string who_else_writes(const FileDescriptor& file, const struct stat& about) {
  if (about.st_uid != 0 && about.st_uid != geteuid())
    return fmt::format("it belongs to user {}", about.st_uid);
  if (about.st_mode & S_IWOTH) return "every user may write it";
  if (about.st_mode & S_IWGRP && has_access_list(file)) return "its access list lets others write";
  if (about.st_mode & S_IWGRP && !is_own_group(about.st_gid))
    return fmt::format("group {} may write it", about.st_gid);
  return "";
}

// Whether it is a pipe.
bool check_kind(const std::string& path, const FileDescriptor& file, const FileRules& rules) {
  struct stat about = {};
  if (fstat(file.number(), &about) != 0) {
    throw UsageError("cannot read {}: {}", path, std::strerror(errno));
  }
  if (S_ISDIR(about.st_mode)) throw UsageError("cannot read {}: it is a directory", path);
  const bool fits = S_ISREG(about.st_mode) || (rules.pipes && S_ISFIFO(about.st_mode));
  if (!fits) throw UsageError("cannot read {}: it is not a regular file", path);
  const std::string other = rules.own ? who_else_writes(file, about) : "";
  if (!other.empty()) throw UsageError("{} is not safe to read: {}", path, other);
  return S_ISFIFO(about.st_mode);
}

// Waits for bytes, or for the end of what somebody wrote. False: nothing came in time.
bool is_ready(const FileDescriptor& pipe, Seconds time) {
  pollfd news = {.fd = pipe.number(), .events = POLLIN, .revents = 0};
  return poll(&news, 1, static_cast<int>(time.count() * 1000)) > 0;
}

}  // namespace

std::string read_regular_file(const std::string& path, const FileRules& rules) {
  const FileDescriptor file = open_file(path, rules);
  const bool pipe = check_kind(path, file, rules);
  std::string text;
  for (;;) {
    const bool ready = !pipe || is_ready(file, rules.for_a_writer);
    const size_t before = text.size();
    text.resize(before + kPieceBytes);
    const ssize_t count = read(file.number(), text.data() + before, kPieceBytes);
    text.resize(before + static_cast<size_t>(count > 0 ? count : 0));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;  // a writer takes its time
    if (count == 0 && !ready) {
      throw UsageError("cannot read {}: it is a pipe that nobody writes to", path);
    }
    if (count < 0) throw UsageError("cannot read {}: {}", path, std::strerror(errno));
    if (count == 0) return text;
    if (static_cast<int64_t>(text.size()) > rules.most_bytes) {
      throw UsageError("cannot read {}: it is larger than {}", path, bytes_text(rules.most_bytes));
    }
  }
}

}  // namespace lockstep
