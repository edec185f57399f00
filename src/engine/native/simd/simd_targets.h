// simd_targets.h: the vector extensions that this machine has and our kernels are made for.
//
// A test of every one of them needs a process for each: oneDNN and Highway choose once.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// Narrowest first: "sse4", "avx2". The last is what is used when nobody limits it.
std::vector<std::string> simd_targets();

// From now on nothing wider is used, by oneDNN and by Highway (comm and data use it too). Before
// the first kernel runs. Throws Error if this machine does not have it.
void limit_simd(const std::string& target);

}  // namespace lockstep
