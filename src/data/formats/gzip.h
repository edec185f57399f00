// gzip.h: decompresses gzip files. The only user of zlib.
#pragma once

#include <string>

#include "data/formats/bytes.h"

namespace lockstep {

bool is_gzip(ByteView bytes);

// Decompresses a gzip file. Throws Error if it is damaged or larger than `most_bytes`.
ByteBuffer gunzip(ByteView compressed, int64_t most_bytes);

}  // namespace lockstep
