// directory_lock.h: a lock that lets one process at a time write to a directory.
//
// The lock is on the directory itself, so nothing is left in it, and is gone with the process,
// however that ends. A file system without such locks lets everybody in.
#pragma once

#include <string>

#include "base/time.h"

namespace lockstep {

// Locks an open file or directory. False, with the reason in errno, if that fails.
bool lock_within(Seconds patience, int descriptor);

class DirectoryLock {
 public:
  // Waits at most this long for a process that is about to exit.
  explicit DirectoryLock(const std::string& directory, Seconds patience = Seconds{0});
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  bool is_elsewhere() const { return elsewhere_; }  // another process holds it

 private:
  int descriptor_;
  bool elsewhere_ = false;
};

}  // namespace lockstep
