// other_libtorch.cpp: loaded before LibTorch, it answers in its place which version that is.
#include <string>

namespace at {
std::string show_config() { return "Build settings: TORCH_VERSION=2.99.1, USE_CUDA=0"; }
}  // namespace at
