// Takes the place of the C library's allocator, for the program itself and for every library that
// it loads, and hands each call on to glibc's own names.
#include "engine/allocation_count.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace lockstep {
bool allocations_are_counted() { return false; }
int64_t allocations_so_far() { return 0; }
}  // namespace lockstep

#else

namespace {
std::atomic<int64_t> count = 0;  // the one global: an allocator has nobody to hand it anything
}

namespace lockstep {
bool allocations_are_counted() { return true; }
int64_t allocations_so_far() { return count; }
}  // namespace lockstep

extern "C" {

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  ++count;
  return __libc_malloc(bytes);
}
void* calloc(size_t members, size_t bytes) {
  ++count;
  return __libc_calloc(members, bytes);
}
void* realloc(void* block, size_t bytes) {
  ++count;
  return __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  ++count;
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  ++count;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

}  // extern "C"

#endif
