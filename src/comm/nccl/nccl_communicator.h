// nccl_communicator.h: communication between GPUs with NVIDIA's NCCL, or AMD's RCCL.
#pragma once

#include <memory>

#include "comm/comm_options.h"
#include "comm/device_communicator.h"
#include "comm/roster.h"

namespace lockstep {

inline constexpr const char* kNccl = "nccl";  // of --communicator

bool has_nccl();  // on this host

// Collective. Borrows the store, which outlives the communicator. The calling thread's current GPU
// is the one whose memory it uses. Of the contract of Communicator one thing is missing: NCCL
// chooses how it adds up, so sums have the same bits on every rank, but not in every repetition.
std::unique_ptr<DeviceCommunicator> make_nccl(const Roster& roster, const CommOptions& options,
                                              Store& store);

}  // namespace lockstep
