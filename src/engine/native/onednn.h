// onednn.h: helpers shared by all uses of oneDNN.
//
// Scratch memory is ours (scratchpad_mode::user): Debian's build gives each of some hundred
// primitives a private one otherwise. Arguments are bound once and executed through the C call,
// because the C++ one allocates a map each time.
#pragma once

#include <dnnl.hpp>
#include <string>
#include <vector>

namespace lockstep::native {

constexpr auto kFloat = dnnl::memory::data_type::f32;

struct Device {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

dnnl::primitive_attr user_scratchpad();
// The same, and a ReLU with this ceiling on the result.
dnnl::primitive_attr followed_by_relu(float ceiling);

template <typename PrimitiveDesc>
int64_t scratch_bytes(const PrimitiveDesc& desc) {
  return static_cast<int64_t>(desc.scratchpad_desc().get_size());
}

// Is the implementation a generated kernel (or a matrix product), not a plain loop?
bool is_fast(const std::string& implementation);

class Primitive {
 public:
  Primitive() = default;
  // Compiles the kernel.
  Primitive(const Device& device, const dnnl::primitive& primitive)
      : stream_(device.stream.get()), engine_(device.engine), primitive_(primitive) {}

  explicit operator bool() const { return static_cast<bool>(primitive_.get(true)); }
  void set(int argument, const dnnl::memory::desc& desc, void* data);
  void move(int argument, void* data);  // of an argument that was set
  void run() const;

 private:
  dnnl_stream_t stream_ = nullptr;  // borrowed from the Device
  dnnl::engine engine_;
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

// Copies between two layouts of one tensor.
Primitive make_reorder(const Device& device, const dnnl::memory::desc& from,
                       const dnnl::memory::desc& to);
// At once, outside the step.
void reorder(const Device& device, const dnnl::memory::desc& from, const void* source,
             const dnnl::memory::desc& to, void* target);

}  // namespace lockstep::native
