// rank_variables.h: the environment variables that tell a process its rank and where to meet.
#pragma once

namespace lockstep {

inline constexpr const char* kRankVariable = "LOCKSTEP_RANK";
inline constexpr const char* kSizeVariable = "LOCKSTEP_SIZE";
inline constexpr const char* kStoreVariable = "LOCKSTEP_STORE";
inline constexpr const char* kTokenVariable = "LOCKSTEP_TOKEN";

}  // namespace lockstep
