// tf_flags.h: the flags of tf_cnn_benchmarks, and what becomes of each.
//
// Job scripts written for it keep working: a flag works here, or is ignored with a note that says
// why it changes nothing, or is refused with the reason and what to use instead. No flag is refused
// at its default there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options.h"

namespace lockstep {

struct TfFlag {
  enum class Kind { Value, Switch };
  enum class Fate { Works, Ignored, Refused };

  std::string_view name;      // as it is written there
  std::string_view fallback;  // its default there; empty: none
  Fate fate;
  // Works: what differs here, if anything. Else the reason.
  std::string_view text = {};
  Kind kind = Kind::Value;  // of a flag that works: the option knows
};

// All 137 of tf_cnn_benchmarks, and one more of each of its scripts. Those that work are options of
// a run, or other names of such options.
std::span<const TfFlag> tf_flags();
std::span<const TfFlag> absl_flags();  // that every program with absl has, as far as it logs

// Flags of a line that are ignored, by reason.
class IgnoredFlags {
 public:
  void add(const std::string& name, std::string_view why);
  std::vector<std::string> notes() const;  // "--mkl, --kmp-blocktime ignored: ..."

 private:
  std::vector<std::pair<std::string_view, std::vector<std::string>>> by_reason_;
};

// Hidden flags for what is ignored or refused. Borrows `ignored`.
std::vector<Flag> tf_only_flags(IgnoredFlags& ignored);

// The table of docs/tf_cnn_benchmarks.md.
std::string tf_flags_markdown();

}  // namespace lockstep
