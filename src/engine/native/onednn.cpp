#include "engine/native/onednn.h"

#include <cmath>

#include "base/error.h"

namespace lockstep::native {

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::primitive_attr followed_by_relu(float ceiling) {
  dnnl::primitive_attr attributes = user_scratchpad();
  dnnl::post_ops after;
  if (std::isinf(ceiling)) {
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  } else {
    after.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0, ceiling);
  }
  attributes.set_post_ops(after);
  return attributes;
}

bool is_fast(const std::string& implementation) {
  return implementation.find("jit") != std::string::npos ||
         implementation.find("brgemm") != std::string::npos;
}

void Primitive::set(int argument, const dnnl::memory::desc& desc, void* data) {
  memories_.emplace_back(desc, engine_, data);
  arguments_.push_back({argument, memories_.back().get()});
}

void Primitive::move(int argument, void* data) {
  for (const dnnl_exec_arg_t& bound : arguments_) {
    if (bound.arg == argument) dnnl_memory_set_data_handle_v2(bound.memory, data, stream_);
  }
}

void Primitive::run() const {
  const auto status = dnnl_primitive_execute(
      primitive_.get(), stream_, static_cast<int>(arguments_.size()), arguments_.data());
  if (status != dnnl_success) throw Error("oneDNN failed with status {}", static_cast<int>(status));
}

Primitive make_reorder(const Device& device, const dnnl::memory::desc& from,
                       const dnnl::memory::desc& to) {
  const dnnl::reorder::primitive_desc desc(device.engine, from, device.engine, to,
                                           user_scratchpad());
  return {device, dnnl::reorder(desc)};
}

void reorder(const Device& device, const dnnl::memory::desc& from, const void* source,
             const dnnl::memory::desc& to, void* target) {
  dnnl::memory in(from, device.engine, const_cast<void*>(source));
  dnnl::memory out(to, device.engine, target);
  dnnl::stream stream = device.stream;
  dnnl::reorder(in, out).execute(stream, in, out);
  stream.wait();
}

}  // namespace lockstep::native
