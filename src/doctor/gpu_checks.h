// gpu_checks.h: the doctor's checks of GPUs: rows of its table (host_checks.cpp). A host without
// GPUs among hosts without GPUs has nothing to show.
#pragma once

#include "doctor/host_checks.h"

namespace lockstep {

Finding check_gpu_models(const HostReport& host, const CheckContext& context);
Finding check_gpu_drivers(const HostReport& host, const CheckContext& context);
Finding check_gpu_memory_errors(const HostReport& host, const CheckContext& context);
Finding check_gpu_throttling(const HostReport& host, const CheckContext& context);
Finding check_nccl(const HostReport& host, const CheckContext& context);
Finding check_gpu_peers(const HostReport& host, const CheckContext& context);

}  // namespace lockstep
