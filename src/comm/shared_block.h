// shared_block.h: memory that several processes of one machine map.
//
// It has no name in any file system: others open it through /proc while its maker keeps it open.
// So nothing can be left behind, however the processes end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comm/socket.h"

namespace lockstep {

// Plain numbers, so that it can be sent through the store or through shared memory.
struct SharedHandle {
  int64_t process = 0, descriptor = -1, bytes = 0;
};

class SharedBlock {
 public:
  SharedBlock() = default;
  explicit SharedBlock(int64_t bytes);               // a new one, zeroed
  explicit SharedBlock(const SharedHandle& handle);  // another process's
  ~SharedBlock();
  SharedBlock(SharedBlock&& other) noexcept;
  SharedBlock& operator=(SharedBlock&& other) noexcept;

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  SharedHandle handle() const;    // of one made here, until seal()
  void seal() { file_.reset(); }  // every rank has mapped it: no other process can open it any more

 private:
  void map();

  Descriptor file_;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace lockstep
