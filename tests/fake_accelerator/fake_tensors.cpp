// fake_tensors.cpp: operators of the fake that make, view and copy tensors, and those whose CPU
// kernel has another name. All others run through the fallback of fake_kernels.cpp.
#include <ATen/EmptyTensor.h>
#include <ATen/Functions.h>
#include <ATen/InferSize.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include "fake_accelerator/fake_kernels.h"
#include "fake_accelerator/fake_memory.h"

namespace lockstep::fake {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor make_empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type,
                      std::optional<at::Layout>, std::optional<at::Device> device,
                      std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_generic(sizes, at::GetAllocator(at::kPrivateUse1), kKeys,
                                   type.value_or(at::kFloat), format);
}

at::Tensor make_empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                              std::optional<at::ScalarType> type, std::optional<at::Layout>,
                              std::optional<at::Device> device, std::optional<bool>) {
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_strided_generic(sizes, strides, at::GetAllocator(at::kPrivateUse1),
                                           kKeys, type.value_or(at::kFloat));
}

at::Tensor make_view(const at::Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides,
                     std::optional<int64_t> offset) {
  at::Tensor view = at::detail::make_tensor<at::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(self.storage()), self.key_set(), self.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides,
                                                    offset.value_or(self.storage_offset()));
  return view;
}

at::Tensor make_reshaped_view(const at::Tensor& self, at::IntArrayRef sizes) {
  const at::DimVector inferred = at::infer_size_dv(sizes, self.numel());
  const auto strides = at::detail::computeStride(self.sizes(), self.strides(), inferred);
  TORCH_CHECK(strides.has_value(), "fake accelerator: this view needs a copy");
  return make_view(self, inferred, *strides, {});
}

at::Tensor reshape_alias(const at::Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides) {
  return make_view(self, sizes, strides, {});
}

const at::Tensor& grow(const at::Tensor& self, at::IntArrayRef sizes,
                       std::optional<at::MemoryFormat>) {
  if (self.sizes() == sizes) return self;
  TORCH_CHECK(self.numel() == 0, "fake accelerator: only empty tensors grow");
  const at::Tensor larger = at::empty(sizes, self.options());
  const_cast<at::Tensor&>(self).unsafeGetTensorImpl()->set_storage_keep_dtype(larger.storage());
  self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return self;
}

// Between device and host. Only pinned memory is copied while the host goes on.
at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const bool to_host = to.is_cpu(), from_host = from.is_cpu();
  FakeStream& stream = stream_for(to_host ? from : to);
  const at::Tensor& host = to_host ? to : from;
  const bool pinned = (to_host || from_host) && is_pinned(host.const_data_ptr());
  if (pinned) pinned_used_by(host.const_data_ptr(), stream);
  queue(stream,
        [target = without_ownership(to), source = without_ownership(from), to_host, from_host] {
          if (to_host && target.is_floating_point())
            target.fill_(NAN);  // until the copy is complete
          if (to_host) random_pause();
          if (from_host) pause_of_copy();
          target.copy_(source);
        });
  if ((to_host || from_host) && !(pinned && non_blocking)) {
    count_synchronisation();
    stream.wait_until_idle();
    throw_after_fault();
  }
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  grow(to, from.sizes(), {});
  return copy_from(from, to, false);
}

at::Scalar local_scalar(const at::Tensor& self) {
  const at::Tensor host = at::empty(self.sizes(), self.options().device(at::kCPU));
  copy_from(self, host, false);
  return host.item();
}

c10::OperatorHandle operator_of(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

void convolution(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  queue_on_cpu(operator_of("aten::convolution"), stack, call_in_f32);
}

// The CPU's has one argument more: the sizes of the bias.
void convolution_backward(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto arguments = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  const at::Tensor& gradient = (stack->end() - arguments)->toTensor();
  stack->insert(stack->end() - arguments + 3, c10::IValue(std::vector<int64_t>{gradient.size(1)}));
  queue_on_cpu(operator_of("aten::convolution_backward"), stack, call_in_f32);
}

void product(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  queue_on_cpu(op, stack, call_in_f32);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", make_empty);
  library.impl("empty_strided", make_empty_strided);
  library.impl("as_strided", make_view);
  library.impl("view", make_reshaped_view);
  library.impl("_reshape_alias", reshape_alias);
  library.impl("resize_", grow);
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_from_and_resize);
  library.impl("_local_scalar_dense", local_scalar);
  library.impl("mm", torch::CppFunction::makeFromBoxedFunction<&product>());
  library.impl("addmm", torch::CppFunction::makeFromBoxedFunction<&product>());
  library.impl("convolution_overrideable",
               torch::CppFunction::makeFromBoxedFunction<&convolution>());
  library.impl("convolution_backward_overrideable",
               torch::CppFunction::makeFromBoxedFunction<&convolution_backward>());
}

}  // namespace
}  // namespace lockstep::fake
