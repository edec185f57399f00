#include "data/formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr int kGzipFormat = 15 + 16;  // largest window, gzip's head and checksum

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

bool is_gzip(ByteView bytes) { return bytes.size() > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

ByteBuffer gunzip(ByteView compressed, int64_t most_bytes) {
  z_stream stream = {};
  stream.next_in = const_cast<uint8_t*>(compressed.data());  // zlib only reads it
  stream.avail_in = static_cast<uInt>(compressed.size());
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) throw Error("cannot initialise zlib");
  const std::unique_ptr<z_stream, EndInflate> end(&stream);
  ByteBuffer out;
  int status = Z_OK;
  while (status == Z_OK) {
    const size_t done = out.size();
    if (std::ssize(out) > most_bytes) {
      throw Error("larger than {} when decompressed", bytes_text(most_bytes));
    }
    // No more than is allowed: a small file may claim to be large.
    const size_t most = static_cast<size_t>(most_bytes) + 1;
    out.resize(std::min(std::max<size_t>(2 * done, size_t{1} << 16), most));
    stream.next_out = out.data() + done;
    stream.avail_out = static_cast<uInt>(out.size() - done);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  if (status == Z_BUF_ERROR) throw Error("compressed data is truncated");
  if (status != Z_STREAM_END) throw Error("compressed data is damaged");
  return out;
}

}  // namespace lockstep
