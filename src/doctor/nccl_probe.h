// nccl_probe.h: measures the bandwidth of NCCL between the GPUs of this host.
#pragma once

#include <string>

#include "config/json_fwd.h"

namespace lockstep {

// By `PROGRAM allreduce` on all of `gpus` GPUs; `program`: the path of lockstep-torch. An object
// with "gpus", and with "bytes_per_second" of the bus (as nccl-tests counts it) or "error".
Json nccl_facts(const std::string& program, int gpus);

}  // namespace lockstep
