// fault.h: a wrong result that a user asks for (--inject-fault), to see that it is found.
#pragma once

#include <string>

namespace lockstep {

// In the last pass, one bit of one number of this operation is flipped there.
struct Fault {
  std::string host, where, operation;  // empty host: none at all

  bool hits(const std::string& at_host, const std::string& at, const std::string& during) const {
    return !host.empty() && host == at_host && where == at && operation == during;
  }
};

// "HOST:CORE:OPERATION", "HOST:cuda:1:OPERATION"; empty: none. Throws UsageError.
Fault parse_fault(const std::string& text);

// The lowest bit of the fraction: the smallest error that there is.
void flip_lowest_bit(float& number);

}  // namespace lockstep
