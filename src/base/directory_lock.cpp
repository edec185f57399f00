#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

namespace lockstep {

DirectoryLock::DirectoryLock(const std::string& directory, Seconds patience)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const TimePoint start = Clock::now();
  while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    elsewhere_ = errno == EWOULDBLOCK;
    if (!elsewhere_ || seconds_since(start) >= patience) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  elsewhere_ = false;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), elsewhere_(other.elsewhere_) {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace lockstep
