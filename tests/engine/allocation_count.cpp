// Takes the place of the C library's allocator, for the program itself and for every library that
// it loads, and hands each call on to glibc's own names. operator new is replaced too: it would
// call malloc from inside the C++ library, and hide who asked.
#include "engine/allocation_count.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace lockstep {
bool allocations_are_counted() { return false; }
Allocations allocations_so_far() { return {}; }
}  // namespace lockstep

#else

#include <errno.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

namespace {

struct CodeRange {
  const char* library;
  std::atomic<uintptr_t> begin = 0, end = 0;
};

// Globals: nobody can hand an allocator anything.
std::atomic<int64_t> own = 0, by_runtimes = 0;
CodeRange runtimes[] = {{"/libdnnl.so"}, {"/libgomp.so"}};

int find_code(dl_phdr_info* library, size_t, void*) {
  for (CodeRange& runtime : runtimes) {
    if (!std::strstr(library->dlpi_name, runtime.library)) continue;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& part = library->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
      runtime.begin = library->dlpi_addr + part.p_vaddr;
      runtime.end = library->dlpi_addr + part.p_vaddr + part.p_memsz;
    }
  }
  return 0;
}

[[gnu::constructor]] void find_runtimes() { dl_iterate_phdr(find_code, nullptr); }

void note(void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  for (const CodeRange& runtime : runtimes) {
    if (address >= runtime.begin && address < runtime.end) {
      ++by_runtimes;
      return;
    }
  }
  ++own;
}

}  // namespace

namespace lockstep {
bool allocations_are_counted() { return true; }
Allocations allocations_so_far() { return {own, by_runtimes}; }
}  // namespace lockstep

extern "C" {

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t members, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);

void* malloc(size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* calloc(size_t members, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_calloc(members, bytes);
}
void* realloc(void* block, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  note(__builtin_return_address(0));
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

}  // extern "C"

void* operator new(size_t bytes) {
  note(__builtin_return_address(0));
  if (void* block = __libc_malloc(bytes)) return block;
  throw std::bad_alloc();
}
void* operator new[](size_t bytes) {
  note(__builtin_return_address(0));
  if (void* block = __libc_malloc(bytes)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { __libc_free(block); }
void operator delete[](void* block) noexcept { __libc_free(block); }
void operator delete(void* block, size_t) noexcept { __libc_free(block); }
void operator delete[](void* block, size_t) noexcept { __libc_free(block); }

#endif
