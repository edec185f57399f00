#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

namespace lockstep {

bool lock_within(Seconds patience, int descriptor) {
  const TimePoint start = Clock::now();
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || seconds_since(start) >= patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

DirectoryLock::DirectoryLock(const std::string& directory, Seconds patience)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  elsewhere_ = descriptor_ >= 0 && !lock_within(patience, descriptor_) && errno == EWOULDBLOCK;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), elsewhere_(other.elsewhere_) {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace lockstep
