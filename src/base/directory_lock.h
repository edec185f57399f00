// directory_lock.h: one process at a time writes to a directory.
//
// The lock is on the directory itself, so nothing is left in it, and is gone with the process,
// however that ends. A file system without such locks lets everybody in.
#pragma once

#include <string>

#include "base/time.h"

namespace lockstep {

// The lock of an open file or directory. False, with the reason in errno, when it cannot be had.
bool lock_within(Seconds patience, int descriptor);

class DirectoryLock {
 public:
  // Waits for somebody who is about to leave, no longer than this.
  explicit DirectoryLock(const std::string& directory, Seconds patience = Seconds{0});
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  bool is_elsewhere() const { return elsewhere_; }  // somebody else has it

 private:
  int descriptor_;
  bool elsewhere_ = false;
};

}  // namespace lockstep
