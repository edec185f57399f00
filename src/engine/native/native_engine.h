// native_engine.h: training on the CPU with oneDNN and our own kernels.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"

namespace lockstep {

// Chooses kernels and plans memory; bind() allocates and compiles. Sets the number of OpenMP
// threads of the calling thread. memory_bytes() is known before bind().
std::unique_ptr<Engine> make_native_engine(const Graph& graph, const EngineOptions& options);

// "oneDNN 2.6.3 (AVX2), Highway 1.0.3 (AVX2)"
std::string native_library_versions();

}  // namespace lockstep
