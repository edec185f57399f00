#include "tensor/memory.h"

#include <sys/mman.h>

#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr int64_t kHugePage = 2 << 20;

int64_t rounded(int64_t bytes) {
  const int64_t unit = bytes >= kHugePage ? kHugePage : 4096;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Memory::Memory(int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* address = mmap(nullptr, rounded(bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw Error("cannot allocate {} MB of memory", bytes / 1000000);
  if (bytes >= kHugePage) madvise(address, rounded(bytes), MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(address);
}

Memory::~Memory() {
  if (data_ && !owner_) munmap(data_, rounded(bytes_));
}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      owner_(std::move(other.owner_)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(owner_, other.owner_);
  return *this;
}

}  // namespace lockstep
