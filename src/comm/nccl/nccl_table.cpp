#include "comm/nccl/nccl_table.h"

#include <dlfcn.h>

#include "base/error.h"

namespace lockstep::nccl {
namespace {

constexpr const char* kLibraries[] = {"libnccl.so.2", "librccl.so.1"};

void* open_library() {
  std::string reasons;
  for (const char* name : kLibraries) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", dlerror());
  }
  throw Error("--communicator nccl: cannot load NCCL: {}", reasons);
}

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw Error("--communicator nccl: this NCCL has no function {}", name);
}

Table load() {
  void* const library = open_library();
  Table functions;
  find(library, "ncclGetVersion", functions.get_version);
  find(library, "ncclGetUniqueId", functions.get_unique_id);
  find(library, "ncclCommInitRank", functions.comm_init_rank);
  find(library, "ncclCommAbort", functions.comm_abort);
  find(library, "ncclCommGetAsyncError", functions.comm_get_async_error);
  find(library, "ncclAllReduce", functions.all_reduce);
  find(library, "ncclBroadcast", functions.broadcast);
  find(library, "ncclGetErrorString", functions.get_error_string);
  return functions;
}

}  // namespace

const Table& table() {
  static const Table functions = load();
  return functions;
}

// From 2.9 on 10000 * major + 100 * minor + patch; before, 1000 * major.
std::string version() {
  int number = 0;
  table().get_version(&number);
  const int thousands = number >= 10000 ? 10000 : 1000;
  return fmt::format("NCCL {}.{}.{}", number / thousands, number % thousands / 100, number % 100);
}

}  // namespace lockstep::nccl
