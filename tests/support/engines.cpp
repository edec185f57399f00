#include "support/engines.h"

#include "engine/reference/reference_engine.h"
#ifdef LOCKSTEP_HAS_NATIVE_ENGINE
#include "engine/native/native_engine.h"
#endif

namespace lockstep {
namespace {

// The reference comes first; the rest are production engines.
constexpr EngineRow kEngines[] = {
    {"reference", make_reference_engine},
#ifdef LOCKSTEP_HAS_NATIVE_ENGINE  // set in CMakeLists.txt when the library is part of the build
    {"native", make_native_engine},
#endif
};

}  // namespace

std::span<const EngineRow> all_engines() { return kEngines; }
std::span<const EngineRow> production_engines() { return all_engines().subspan(1); }

}  // namespace lockstep
