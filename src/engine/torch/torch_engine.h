// torch_engine.h: training with LibTorch: the layers are ATen calls, backward is autograd.
//
// Written as a LibTorch user would write it, so that its speed is LibTorch's: ReLUs work in place,
// and with --data-format NHWC the whole network runs in channels-last layout, kernels included.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"

namespace lockstep {

// Sets the number of threads of the calling thread's OpenMP pool, on which ATen, oneDNN and BLAS
// run. Throws UsageError when there is no such device, and Error when the loaded LibTorch is not
// the version this program was built for. memory_bytes() is an estimate: LibTorch allocates as it
// goes.
std::unique_ptr<Engine> make_torch_engine(const Graph& graph, const EngineOptions& options);

// Engines of this process compute equal steps to equal bits from now on, even if that is slower.
// Else cuDNN tries in the first step which way of a convolution is fastest.
void make_torch_deterministic();

// Loads the libraries of accelerators, which takes seconds.
std::optional<Accelerators> torch_accelerators();

// LibTorch and the libraries inside it, for the result file. Throws Error as above.
std::string torch_library_versions();

}  // namespace lockstep
