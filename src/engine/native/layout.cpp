#include "engine/native/layout.h"

namespace lockstep::native {

dnnl::memory::desc Layout::describe(const Shape& shape, Format format) const {
  using Tag = dnnl::memory::format_tag;
  if (format == Format::Flat) return {{batch, shape.elements()}, kFloat, Tag::nc};
  const Tag tag = format == Format::Blocked    ? blocked_tag()
                  : image == ImageLayout::Nchw ? Tag::nchw
                                               : Tag::nhwc;
  return {{batch, shape.channels(), shape.height(), shape.width()}, kFloat, tag};
}

int block_of(const dnnl::memory::desc& description) {
  const auto& format = description.data.format_desc.blocking;
  const bool blocked = description.data.format_kind == dnnl_blocked && format.inner_nblks == 1;
  return blocked ? static_cast<int>(format.inner_blks[0]) : 0;
}

int preferred_block() {
  const auto isa = dnnl::get_effective_cpu_isa();
  const bool wide = isa == dnnl::cpu_isa::avx512_core || isa == dnnl::cpu_isa::avx512_core_vnni ||
                    isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
  return wide ? 16 : 8;
}

}  // namespace lockstep::native
