// cores.h: the cores of this machine that a process may use.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

// Processor numbers as the system counts them, in order.
using CoreSet = std::vector<int>;

std::string core_text(const CoreSet& cores);   // "0-3,8"
CoreSet parse_cores(const std::string& text);  // throws Error

CoreSet allowed_cores();  // of this process
void bind_this_thread(
    const CoreSet& cores);  // and all that it starts; best effort: it may be forbidden

// The set in `parts` parts of neighbouring cores (caches, memory); the hardware threads of a core
// stay together as far as there are enough cores. Empty when there are fewer cores than parts.
std::vector<CoreSet> split_cores(const CoreSet& cores, int parts);

}  // namespace lockstep
