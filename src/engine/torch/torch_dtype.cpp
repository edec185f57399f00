#include "engine/torch/torch_dtype.h"

#include <ATen/Context.h>

#include "base/error.h"

namespace lockstep::libtorch {
namespace {

// Without, LibTorch converts to f32 and back.
bool cpu_multiplies_bf16() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void check_cpu(Dtype dtype) {
  if (dtype == Dtype::Fp16) {
    throw UsageError("--dtype fp16 requires a GPU; on a CPU use f32, or bf16");
  }
  if (dtype == Dtype::Bf16 && !cpu_multiplies_bf16()) {
    throw UsageError(
        "--dtype bf16: this CPU has no instructions for it (avx512_bf16), so it would be slower "
        "than f32; use f32");
  }
}

}  // namespace

at::ScalarType type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::Fp16:
      return at::kHalf;
    case Dtype::Bf16:
      return at::kBFloat16;
    case Dtype::F32:
    case Dtype::Tf32:
      break;
  }
  return at::kFloat;
}

void use_dtype(Dtype dtype, at::Device device) {
  if (device.is_cpu()) check_cpu(dtype);
  if (dtype == Dtype::Tf32 && !device.is_cuda()) {
    throw UsageError("--dtype tf32: only GPUs of NVIDIA have it; use f32");
  }
  if (!device.is_cuda()) return;
  // LibTorch's own default differs: convolutions in tf32, matrices in f32.
  at::globalContext().setAllowTF32CuDNN(dtype == Dtype::Tf32);
  at::globalContext().setAllowTF32CuBLAS(dtype == Dtype::Tf32);
}

void be_deterministic() { at::globalContext().setDeterministicCuDNN(true); }

void choose_fast_convolutions() {
  at::Context& context = at::globalContext();
  context.setBenchmarkCuDNN(!context.deterministicCuDNN());
}

}  // namespace lockstep::libtorch
