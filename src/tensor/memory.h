// memory.h: a block of zeroed, page-aligned memory that its object owns or shares.
//
// Large blocks ask for huge pages: a training step walks through gigabytes, and 4 KiB pages would
// spend a tenth of it in address translation. A page is placed on the NUMA node of the thread that
// touches it first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace lockstep {

class Memory {
 public:
  Memory() = default;
  explicit Memory(int64_t bytes);  // throws Error when the system refuses
  // A block that belongs to `owner`, kept alive as long as this object: memory that a communicator
  // shares with other processes.
  Memory(std::span<std::byte> block, std::shared_ptr<const void> owner)
      : data_(block.data()), bytes_(std::ssize(block)), owner_(std::move(owner)) {}
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  int64_t bytes() const { return bytes_; }
  std::byte* data() const { return data_; }
  std::span<float> floats() const {
    return {reinterpret_cast<float*>(data_), static_cast<size_t>(bytes_) / sizeof(float)};
  }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  std::shared_ptr<const void> owner_;  // shared with the creator of the block; empty: mapped here
};

}  // namespace lockstep
