// comm_options.h: options of a communicator.
#pragma once

#include <string>

#include "base/time.h"
#include "comm/all_reduce_rules.h"
#include "comm/compressed.h"

namespace lockstep {

struct CommOptions {
  std::string name = "main";   // keeps apart the communicators of one run
  Seconds stall_timeout{60};   // nothing moved for so long: the call fails
  std::string interface = {};  // network interface; empty: the one that leads to the store
  AllReduceRules rules = {};   // empty: the back-end's own all-reduce
  Compression compression = Compression::None;
};

}  // namespace lockstep
