#include "comm/shared_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {

SharedBlock::SharedBlock(int64_t bytes) : file_(memfd_create("lockstep", MFD_CLOEXEC)) {
  bytes_ = bytes;
  if (!file_ || ftruncate(file_.number(), bytes) != 0) {
    throw Error("cannot create {} of shared memory: {}", bytes_text(bytes), std::strerror(errno));
  }
  map();
}

SharedBlock::SharedBlock(const SharedHandle& handle) : bytes_(handle.bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.descriptor);
  file_ = Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file_) {
    throw Error(
        "cannot open the shared memory of process {}: {}; ranks on one host must run as "
        "one user and in one container",
        handle.process, std::strerror(errno));
  }
  map();
  file_.reset();
}

SharedBlock::~SharedBlock() {
  if (data_) munmap(data_, bytes_);
}

SharedBlock::SharedBlock(SharedBlock&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedBlock& SharedBlock::operator=(SharedBlock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedHandle SharedBlock::handle() const {
  return {.process = getpid(), .descriptor = file_.number(), .bytes = bytes_};
}

void SharedBlock::map() {
  if (bytes_ == 0) return;
  void* address =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.number(), 0);
  if (address == MAP_FAILED) {
    throw Error("cannot map {} of shared memory: {}", bytes_text(bytes_), std::strerror(errno));
  }
  madvise(address, bytes_, MADV_HUGEPAGE);  // taken where the system allows it for shared memory
  data_ = static_cast<std::byte*>(address);
}

}  // namespace lockstep
