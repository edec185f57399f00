// compressed.h: all-reduce with 16 bits per value on the wire.
//
// Every rank sends each other rank its part of the data in the short form; that rank adds up in
// full precision, in the order of the ranks, and sends the sum back in the short form. So a number
// is rounded once on its way there and once on its way back, however many ranks there are.
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.h"

namespace lockstep {

enum class Compression { None, Fp16, Bf16 };

Compression parse_compression(const std::string& name);  // none, fp16, bf16; throws UsageError

std::unique_ptr<Communicator> with_compression(std::unique_ptr<Communicator> inner,
                                               Compression compression);

}  // namespace lockstep
