// targets.h: readers of files and messages that strangers wrote, each as a function of some bytes.
//
// A target may refuse its input with an Error; anything else, a crash, a hang, memory without
// bounds, is a bug. ./run fuzz TARGET searches for such inputs with libFuzzer; what was found, and
// what reaches far, is kept in corpus/TARGET and replayed by the ordinary tests.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "data/formats/bytes.h"

namespace lockstep {

struct FuzzTarget {
  std::string_view name;         // and of its folder in corpus/
  void (*read)(ByteView bytes);  // throws Error
};

std::vector<FuzzTarget> fuzz_targets();
// Of these:
std::span<const FuzzTarget> text_targets();    // texts and messages
std::span<const FuzzTarget> peer_targets();    // what hosts, ranks and launchers say
std::span<const FuzzTarget> report_targets();  // results, and all that is made of them

}  // namespace lockstep
