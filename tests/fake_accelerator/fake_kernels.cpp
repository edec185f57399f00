#include "fake_accelerator/fake_kernels.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include "fake_accelerator/fake_memory.h"

namespace lockstep::fake {
namespace {

bool is_fake(const at::Tensor& tensor) { return tensor.defined() && tensor.is_privateuseone(); }

// Zeros of the same sizes and strides: kernels that run on them tell what they will return.
at::Tensor zeros_like_on_cpu(const at::Tensor& tensor) {
  const auto bytes =
      at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize());
  const int64_t elements = static_cast<int64_t>(bytes) / tensor.itemsize();
  return at::zeros({elements}, at::TensorOptions(tensor.scalar_type()))
      .as_strided(tensor.sizes(), tensor.strides());
}

// The arguments of a call with every tensor of the fake replaced.
using Replace = std::function<at::Tensor(const at::Tensor&)>;

c10::IValue replaced(const c10::IValue& value, const Replace& replace) {
  const auto one = [&](const at::Tensor& tensor) {
    if (is_fake(tensor)) return replace(tensor);
    TORCH_CHECK(!tensor.defined() || tensor.dim() == 0,
                "fake accelerator: a kernel got a tensor of the host");
    return tensor;
  };
  if (value.isTensor()) return one(value.toTensor());
  if (value.isTensorList()) {
    std::vector<at::Tensor> tensors;
    for (const at::Tensor& tensor : value.toTensorVector()) tensors.push_back(one(tensor));
    return tensors;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> tensors;
    for (const auto& tensor : value.toOptionalTensorVector()) {
      tensors.push_back(tensor ? std::optional(one(*tensor)) : std::nullopt);
    }
    return tensors;
  }
  if (value.isDevice()) return c10::Device(c10::DeviceType::CPU);
  return value;
}

torch::jit::Stack replaced(const torch::jit::Stack& arguments, const Replace& replace) {
  torch::jit::Stack result;
  for (const c10::IValue& value : arguments) result.push_back(replaced(value, replace));
  return result;
}

// Which argument a result is, by the schema: of an operation that works in place.
std::optional<size_t> argument_returned(const c10::FunctionSchema& schema, size_t result) {
  const c10::AliasInfo* alias = schema.returns()[result].alias_info();
  if (!alias) return {};
  TORCH_CHECK(alias->isWrite(), "fake accelerator: no kernel for the view ", schema.name());
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::AliasInfo* other = schema.arguments()[i].alias_info();
    if (other && other->beforeSets() == alias->beforeSets()) return i;
  }
  TORCH_CHECK(false, "fake accelerator: cannot tell what ", schema.name(), " returns");
}

int device_of_any(const torch::jit::Stack& arguments) {
  for (const c10::IValue& value : arguments) {
    if (value.isTensor() && is_fake(value.toTensor())) return value.toTensor().device().index();
    if (!value.isTensorList()) continue;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      if (is_fake(tensor)) return tensor.device().index();
    }
  }
  return current_device();
}

at::Tensor empty_like_on(int device, const at::Tensor& shape) {
  if (!shape.defined()) return shape;
  const at::Device fake(at::kPrivateUse1, static_cast<c10::DeviceIndex>(device));
  return at::empty_strided(shape.sizes(), shape.strides(), shape.options().device(fake));
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  queue_on_cpu(op, stack, call_as_is);
}
TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

bool has_16_bits(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return false;
  const at::ScalarType type = value.toTensor().scalar_type();
  return type == at::kHalf || type == at::kBFloat16;
}

}  // namespace

void call_as_is(const c10::OperatorHandle& op, torch::jit::Stack* stack) { op.callBoxed(stack); }

void call_in_f32(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  std::optional<at::ScalarType> type;
  for (c10::IValue& value : *stack) {
    if (!has_16_bits(value)) continue;
    type = value.toTensor().scalar_type();
    value = value.toTensor().to(at::kFloat);
  }
  op.callBoxed(stack);
  if (!type) return;
  for (c10::IValue& value : *stack) {
    if (value.isTensor() && value.toTensor().defined()) value = value.toTensor().to(*type);
  }
}

at::Tensor without_ownership(const at::Tensor& tensor) {
  void* const data = const_cast<void*>(tensor.const_data_ptr());
  return at::from_blob(is_device_address(data) ? kernel_address(data) : data, tensor.sizes(),
                       tensor.strides(), tensor.scalar_type());
}

FakeStream& stream_for(const at::Tensor& tensor) { return current_stream(tensor.device().index()); }

void queue(FakeStream& stream, const Task& kernel) {
  count_kernel();
  stream.enqueue([kernel] {
    try {
      const at::AutoDispatchBelowADInplaceOrView below_autograd;
      kernel();
    } catch (const std::exception& error) {  // the top of a thread: the next call reports it
      fail_now(error.what());
    }
  });
}

void queue_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack, Call call) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const size_t count = op.schema().arguments().size();
  const torch::jit::Stack arguments(stack->end() - static_cast<std::ptrdiff_t>(count),
                                    stack->end());
  torch::jit::drop(*stack, count);

  torch::jit::Stack shapes = replaced(arguments, zeros_like_on_cpu);
  call(op, &shapes);

  const int device = device_of_any(arguments);
  std::vector<at::Tensor> outputs(shapes.size());  // that the kernel's results are copied to
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (const auto argument = argument_returned(op.schema(), i)) {
      const at::Tensor& written = arguments[*argument].toTensor();
      if (written.sizes() != shapes[i].toTensor().sizes()) {
        written.resize_(shapes[i].toTensor().sizes());
      }
      stack->push_back(written);
      continue;
    }
    const at::Tensor result = empty_like_on(device, shapes[i].toTensor());
    if (result.defined()) outputs[i] = without_ownership(result);
    stack->push_back(result);
  }
  // No ownership from here on: whoever frees memory too early shall notice.
  queue(current_stream(device),
        [op, call, outputs, later = replaced(arguments, without_ownership)] {
          torch::jit::Stack results = later;
          call(op, &results);
          for (size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i].defined()) outputs[i].copy_(results[i].toTensor());
          }
        });
}

}  // namespace lockstep::fake
