// own_engines.h: what this program computes with. Each program has one engine linked in: native.cpp
// is lockstep's, torch.cpp that of lockstep-torch. Everything else is the same in both.
#pragma once

#include <vector>

#include "run/engines.h"

namespace lockstep {

std::vector<EngineKind> own_engines();  // the first is the default; the others are elsewhere

}  // namespace lockstep
