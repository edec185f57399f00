#include "engine/native/simd/simd_targets.h"

#include <fmt/ranges.h>
#include <hwy/targets.h>

#include <algorithm>
#include <dnnl.hpp>

#include "base/error.h"

namespace lockstep {
namespace {

struct Target {
  const char* name;
  int64_t highway;  // its bit; lower bits are wider targets
  dnnl::cpu_isa onednn;
};

constexpr Target kTargets[] = {
#if HWY_ARCH_X86
    {"sse4", HWY_SSE4, dnnl::cpu_isa::sse41},
    {"avx2", HWY_AVX2, dnnl::cpu_isa::avx2},
    {"avx512", HWY_AVX3, dnnl::cpu_isa::avx512_core},
#endif
    {"widest", 0, dnnl::cpu_isa::all},
};

// "widest" only where it has no other name.
bool is_here(const Target& target) {
  const int64_t here = hwy::SupportedTargets(), widest = here & -here;
  if (target.highway != 0) return (here & target.highway) != 0;
  return std::ranges::count(kTargets, widest, &Target::highway) == 0;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) {
    if (is_here(target)) names.emplace_back(target.name);
  }
  return names;
}

void limit_simd(const std::string& name) {
  const auto* target =
      std::find_if(std::begin(kTargets), std::end(kTargets),
                   [&](const Target& each) { return name == each.name && is_here(each); });
  if (target == std::end(kTargets)) {
    throw UsageError("vector extension '{}' is not here; use one of {}", name,
                     fmt::join(simd_targets(), ", "));
  }
  if (target->highway == 0) return;
  hwy::DisableTargets(target->highway - 1);  // all lower bits
  if (dnnl::set_max_cpu_isa(target->onednn) != dnnl::status::success) {
    throw Error("oneDNN cannot be limited to {} any more", name);
  }
}

}  // namespace lockstep
