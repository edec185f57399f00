// huge_pages.h: variables with which other people's libraries keep their memory between steps.
//
// The allocator of the C library returns large tensors to the kernel as soon as they are freed, and
// the next step gets them page by page again: a fifth of a step of PyTorch or JAX. Our own engine
// allocates once, in huge pages; with these, a framework keeps what it allocated, in huge pages
// too.
#pragma once

#include <array>

namespace lockstep {

struct EnvironmentDefault {
  const char* name;
  const char* value;
};

// For processes that are to be started, unless the user has set the variable.
inline constexpr std::array kHugePages = {
    EnvironmentDefault{"GLIBC_TUNABLES",
                       "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:"
                       "glibc.malloc.trim_threshold=17179869184"},
    EnvironmentDefault{"THP_MEM_ALLOC_ENABLE", "1"}};  // of PyTorch

}  // namespace lockstep
