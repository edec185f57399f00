// fake_graph.h: makes the fake's graphs known to LibTorch.
#pragma once

namespace lockstep::fake {

void register_graphs();  // once its name is registered

}  // namespace lockstep::fake
