// native.h: the native engine as a row of the table.
#pragma once

#include "app/engines.h"

namespace lockstep {

EngineKind native_engine_kind();

}  // namespace lockstep
