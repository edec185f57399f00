// rank_variables.h: the environment variables with the rank of a process and the store address.
#pragma once

namespace lockstep {

inline constexpr const char* kRankVariable = "LOCKSTEP_RANK";
inline constexpr const char* kSizeVariable = "LOCKSTEP_SIZE";
inline constexpr const char* kStoreVariable = "LOCKSTEP_STORE";
inline constexpr const char* kTokenVariable = "LOCKSTEP_TOKEN";

}  // namespace lockstep
