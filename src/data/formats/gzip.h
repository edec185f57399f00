// gzip.h: files that may be compressed. The one door to zlib.
#pragma once

#include <string>

#include "data/formats/bytes.h"

namespace lockstep {

bool is_gzip(ByteView bytes);

// What a gzip file holds. Throws Error when it is damaged or holds more than `most_bytes`.
ByteBuffer gunzip(ByteView compressed, int64_t most_bytes);

}  // namespace lockstep
