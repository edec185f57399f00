#include "comm/compressed.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "comm/chunk.h"
#include "comm/forwarding.h"
#include "comm/reduce_kernels.h"

namespace lockstep {
namespace {

constexpr int kCompressedTag = kMostTag + 4;

struct Codec {
  std::string_view name;
  Compression compression;
  void (*shorten)(std::span<const float>, std::span<uint16_t>);
  void (*lengthen)(std::span<const uint16_t>, std::span<float>);
};

constexpr Codec kCodecs[] = {
    {"none", Compression::None, nullptr, nullptr},
    {"fp16", Compression::Fp16, to_fp16, from_fp16},
    {"bf16", Compression::Bf16, to_bf16, from_bf16},
};

class CompressedCommunicator : public ForwardingCommunicator {
 public:
  CompressedCommunicator(std::unique_ptr<Communicator> inner, const Codec& codec)
      : ForwardingCommunicator(std::move(inner)), codec_(codec) {}

  void all_reduce(std::span<float> data) override {
    if (size() == 1) return;
    const ChunkRange mine = range(data, rank());
    sent_.resize(std::max(sent_.size(), data.size()));
    arrived_.resize(std::max<size_t>(arrived_.size(), mine.size() * size()));
    sums_.resize(std::max<size_t>(sums_.size(), 2 * mine.size()));
    scatter(data, mine);
    add_up(data, mine);
    gather(data, mine);
  }

 private:
  ChunkRange range(std::span<float> data, int index) const {
    return chunk_range(std::ssize(data), index, size());
  }
  std::span<uint16_t> arrived_from(int other, const ChunkRange& mine) {
    return std::span(arrived_).subspan(other * mine.size(), mine.size());
  }

  // Round k goes to the k-th rank to the right and comes from the k-th to the left.
  void scatter(std::span<float> data, const ChunkRange& mine) {
    codec_.shorten(data, sent_);
    for (int round = 1; round < size(); ++round) {
      const int to = wrap(rank() + round, size()), from = wrap(rank() - round, size());
      const ChunkRange theirs = range(data, to);
      swap_parts(std::span(sent_).subspan(theirs.begin, theirs.size()), to,
                 arrived_from(from, mine), from);
    }
  }

  // This rank's own numbers take part in full.
  void add_up(std::span<float> data, const ChunkRange& mine) {
    const std::span<float> own = data.subspan(mine.begin, mine.size());
    const std::span<float> sum = std::span(sums_).first(mine.size());
    const std::span<float> next = std::span(sums_).subspan(mine.size(), mine.size());
    for (int other = 0; other < size(); ++other) {
      const std::span<float> target = other == 0 ? sum : next;
      if (other == rank()) {
        std::copy(own.begin(), own.end(), target.begin());
      } else {
        codec_.lengthen(arrived_from(other, mine), target);
      }
      if (other > 0) add_into(sum, next);
    }
    std::copy(sum.begin(), sum.end(), own.begin());
  }

  void gather(std::span<float> data, const ChunkRange& mine) {
    const auto result = std::span(sent_).subspan(mine.begin, mine.size());
    codec_.shorten(data.subspan(mine.begin, mine.size()), result);
    for (int round = 1; round < size(); ++round) {
      const int to = wrap(rank() + round, size()), from = wrap(rank() - round, size());
      const ChunkRange theirs = range(data, from);
      swap_parts(result, to, std::span(sent_).subspan(theirs.begin, theirs.size()), from);
    }
    codec_.lengthen(std::span(sent_).first(data.size()), data);
  }

  void swap_parts(std::span<const uint16_t> out, int to, std::span<uint16_t> in, int from) {
    exchange_bytes({std::as_bytes(out), to, std::as_writable_bytes(in), from, kCompressedTag});
  }

  const Codec& codec_;
  std::vector<uint16_t> sent_, arrived_;  // these grow to the largest bucket in the first step
  std::vector<float> sums_;               // two rows of one part
};

}  // namespace

Compression parse_compression(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Codec& codec : kCodecs) {
    if (codec.name == name) return codec.compression;
    names.push_back(codec.name);
  }
  throw UsageError("unknown gradient compression '{}'; use one of {}", name,
                   fmt::join(names, ", "));
}

std::unique_ptr<Communicator> with_compression(std::unique_ptr<Communicator> inner,
                                               Compression compression) {
  if (compression == Compression::None) return inner;
  const auto* codec = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                   [&](const Codec& c) { return c.compression == compression; });
  return std::make_unique<CompressedCommunicator>(std::move(inner), *codec);
}

}  // namespace lockstep
