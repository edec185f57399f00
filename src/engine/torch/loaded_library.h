// loaded_library.h: which LibTorch this process has loaded, and whether it is the right one.
#pragma once

#include <string>

namespace lockstep::libtorch {

// Throws Error unless the loaded LibTorch has the version of the headers this program was built
// with. LibTorch's C++ interface changes between versions and its file name does not say which one
// it is, so another one is found by the loader and crashes later.
void require_built_version();

// "LibTorch 2.15.0, Intel(R) MKL-DNN v3.13.3, Intel(R) oneAPI Math Kernel Library Version 2024.2"
std::string library_versions();

}  // namespace lockstep::libtorch
