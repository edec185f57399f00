// nccl_table.h: the functions of NCCL that lockstep calls, loaded when a run needs them.
//
// Programs run without NCCL, and with any version of it: its C interface is stable. They are
// declared here, because the header of one version does not fit the library of another. AMD's RCCL
// has the same names. A test compares this file with the installed header.
#pragma once

#include <cstddef>
#include <string>

namespace lockstep::nccl {

using Comm = struct OpaqueComm*;
struct UniqueId {
  char bytes[128];
};

// Of ncclResult_t, ncclDataType_t and ncclRedOp_t.
inline constexpr int kSuccess = 0, kInProgress = 7;
inline constexpr int kFloat32 = 7;
inline constexpr int kSum = 0;

struct Table {
  int (*get_version)(int* version);
  int (*get_unique_id)(UniqueId* id);
  int (*comm_init_rank)(Comm* comm, int ranks, UniqueId id, int rank);
  int (*comm_abort)(Comm comm);
  int (*comm_get_async_error)(Comm comm, int* error);
  int (*all_reduce)(const void* send, void* receive, size_t count, int type, int operation,
                    Comm comm, void* stream);
  int (*broadcast)(const void* send, void* receive, size_t count, int type, int root, Comm comm,
                   void* stream);
  const char* (*get_error_string)(int result);
};

// Loaded once. Throws Error when this host has no NCCL.
const Table& table();

std::string version();  // "NCCL 2.30.7"

}  // namespace lockstep::nccl
