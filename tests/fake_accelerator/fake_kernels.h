// fake_kernels.h: runs LibTorch's CPU kernels on memory of the fake, in the order of a stream.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "fake_accelerator/fake_stream.h"

namespace lockstep::fake {

// As a kernel sees it when it runs, while the host may have freed it long since: a CPU tensor on
// the memory that kernels may use. `tensor`: of the fake, or of the host.
at::Tensor without_ownership(const at::Tensor& tensor);

FakeStream& stream_for(const at::Tensor& tensor);  // the current one of its device

void queue(FakeStream& stream, const Task& kernel);

// Replaces the arguments on the stack by the results of `op`, whose CPU kernel runs later.
// How: as it is, or in f32 with 16-bit tensors converted before and results rounded after. A GPU
// sums products so, while CPU kernels in fp16 may be slow, or sum in fp16.
using Call = void (*)(const c10::OperatorHandle& op, torch::jit::Stack* stack);
void call_as_is(const c10::OperatorHandle& op, torch::jit::Stack* stack);
void call_in_f32(const c10::OperatorHandle& op, torch::jit::Stack* stack);
void queue_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack, Call call);

}  // namespace lockstep::fake
