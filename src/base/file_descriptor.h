// file_descriptor.h: a file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace lockstep {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int number() const { return number_; }  // -1: none
  bool is_open() const { return number_ >= 0; }
  void reset() {
    if (is_open()) close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

}  // namespace lockstep
