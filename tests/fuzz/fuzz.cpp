// fuzz.cpp: one target for libFuzzer: LOCKSTEP_FUZZ_TARGET names it when this is compiled.
#include <algorithm>

#include "base/error.h"
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  static const std::vector<FuzzTarget> all = fuzz_targets();
  static const FuzzTarget& target =
      *std::ranges::find(all, LOCKSTEP_FUZZ_TARGET, &FuzzTarget::name);
  try {
    target.read({data, size});
  } catch (const Error&) {  // refused
  }
  return 0;
}
