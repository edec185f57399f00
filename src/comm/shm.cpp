#include "comm/shm.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "comm/chunk.h"
#include "comm/reduce_kernels.h"
#include "comm/shm_mail.h"
#include "comm/shm_segment.h"

namespace lockstep {
namespace {

// Every rank's window: two halves for small data, two for the pieces of large data. With two, a
// rank fills one while others still read the other.
constexpr int64_t kSmallFloats = 2048;
constexpr int64_t kPieceFloats = 64 << 10;
constexpr int64_t kWindowFloats = 2 * (kSmallFloats + kPieceFloats);
constexpr int64_t small_at(int64_t turn) { return turn % 2 * kSmallFloats; }
constexpr int64_t piece_at(int64_t turn) { return 2 * kSmallFloats + turn % 2 * kPieceFloats; }

// What is forwarded at once: large enough for any network, in enough pieces to be worth the turns.
constexpr int64_t kForwardFloats = 1 << 20;
constexpr int kMostForwards = 8;
int forwards(int64_t floats) {
  return static_cast<int>(std::clamp<int64_t>(floats / kForwardFloats, 1, kMostForwards));
}

// In the same pieces on every host, however many ranks it has and wherever their data is: rank 0 of
// each host forwards to the others, and they would add up what does not belong together.
void forward_pieces(std::span<float> data, const ShmCommunicator::Forward& forward) {
  const int count = forwards(std::ssize(data));
  for (int turn = 0; turn < count; ++turn) forward(chunk(data, turn, count));
}

std::span<float> piece(std::span<float> data, int64_t index) {
  const int64_t begin = index * kPieceFloats;
  return data.subspan(begin, std::min(kPieceFloats, std::ssize(data) - begin));
}

int64_t pieces(std::span<float> data) {
  return (std::ssize(data) + kPieceFloats - 1) / kPieceFloats;
}

}  // namespace

ShmCommunicator::ShmCommunicator(const Roster& roster, const CommOptions& options, Store& store)
    : segment_(std::make_unique<ShmSegment>(roster, store, options.name, options.stall_timeout)),
      mail_(std::make_unique<ShmMail>(*segment_)) {
  regions_.push_back(
      make_region(kWindowFloats * static_cast<int64_t>(sizeof(float)), window_block_));
}

ShmCommunicator::~ShmCommunicator() = default;

int ShmCommunicator::rank() const { return segment_->roster().rank; }
int ShmCommunicator::size() const { return segment_->roster().size(); }
void ShmCommunicator::barrier() { segment_->barrier(); }
void ShmCommunicator::set_stall_timeout(Seconds timeout) { segment_->set_stall_timeout(timeout); }
void ShmCommunicator::abandon(const std::string& reason) { segment_->fail(reason); }

Memory ShmCommunicator::allocate(int64_t bytes) {
  if (bytes == 0) return Memory();
  std::shared_ptr<const SharedBlock> block;
  regions_.push_back(make_region(bytes, block));
  return Memory(regions_.back().mine, std::move(block));
}

// Everyone makes its own block, so its pages come to lie near the rank that touches them first.
ShmCommunicator::Region ShmCommunicator::make_region(int64_t bytes,
                                                     std::shared_ptr<const SharedBlock>& block) {
  auto mine = std::make_shared<SharedBlock>(bytes);
  segment_->slot(rank()).block = mine->handle();
  barrier();
  Region region{.mine = {mine->data(), static_cast<size_t>(bytes)}, .in_use = mine, .others = {}};
  for (int other = 0; other < size(); ++other) {
    const SharedHandle& handle = segment_->slot(other).block;
    if (handle.bytes != bytes) {
      segment_->fail(fmt::format("{} allocates {} bytes, but {} {}", segment_->roster().who(rank()),
                                 bytes, segment_->roster().who(other), handle.bytes));
    }
    region.others.push_back(other == rank() ? SharedBlock() : SharedBlock(handle));
  }
  barrier();
  mine->seal();
  block = std::move(mine);
  return region;
}

void ShmCommunicator::all_reduce(std::span<float> data) {
  if (std::ssize(data) <= kSmallFloats) return reduce_small(data);
  const Meeting met = meet(data);
  if (!met.in_place) return reduce_windowed(data);
  const ChunkRange mine = chunk_range(std::ssize(data), rank(), size());
  std::vector<float*> slices = met.buffers;
  for (float*& slice : slices) slice += mine.begin;
  sum_to_all(slices, mine.size());
  barrier();
}

void ShmCommunicator::all_reduce_through(std::span<float> data, const Forward& forward) {
  if (size() == 1) return forward_pieces(data, forward);
  if (std::ssize(data) > kSmallFloats) {
    const Meeting met = meet(data);
    if (met.in_place) return relay(met, data, forward);
    reduce_windowed(data);
  } else {
    reduce_small(data);
  }
  if (rank() == 0) forward_pieces(data, forward);
  broadcast(data, 0);
}

// A turn ends at a barrier: then the sum of its piece stands, and the piece before is back. So rank
// 0 forwards one piece while the others sum the next and fetch the one before.
void ShmCommunicator::relay(const Meeting& met, std::span<float> data, const Forward& forward) {
  const int count = forwards(std::ssize(data));
  for (int turn = 0; turn < count + 2; ++turn) {
    if (rank() != 0) {
      if (turn < count) sum_at_first(met, chunk_range(std::ssize(data), turn, count));
      if (turn >= 2) {
        const ChunkRange back = chunk_range(std::ssize(data), turn - 2, count);
        std::copy_n(met.buffers[0] + back.begin, back.size(), data.begin() + back.begin);
      }
    }
    barrier();
    if (rank() == 0 && turn < count) forward(chunk(data, turn, count));
  }
}

// This rank's share of the sum over a range, into the memory of rank 0, which takes no part.
void ShmCommunicator::sum_at_first(const Meeting& met, ChunkRange range) const {
  const ChunkRange mine = chunk_range(range.size(), rank() - 1, size() - 1);
  std::vector<float*> slices = met.buffers;
  for (float*& slice : slices) slice += range.begin + mine.begin;
  sum_of(slices, {slices[0], static_cast<size_t>(mine.size())});
}

// Everyone adds everything up itself: one barrier instead of two.
void ShmCommunicator::reduce_small(std::span<float> data) {
  const int64_t at = small_at(calls_);
  std::copy(data.begin(), data.end(), window(rank(), at));
  meet(data);
  std::vector<float*> windows;
  for (int other = 0; other < size(); ++other) windows.push_back(window(other, at));
  sum_of(windows, data);
}

// Piece by piece: in, a barrier, the sums of this piece, the previous one out.
void ShmCommunicator::reduce_windowed(std::span<float> data) {
  const auto copy_out = [&](int64_t index) {
    const auto target = piece(data, index);
    std::copy_n(window(rank(), piece_at(index)), target.size(), target.begin());
  };
  std::vector<float*> slices(size());
  for (int64_t index = 0; index < pieces(data); ++index) {
    const auto source = piece(data, index);
    std::copy(source.begin(), source.end(), window(rank(), piece_at(index)));
    barrier();
    if (index > 0) copy_out(index - 1);
    const ChunkRange mine = chunk_range(std::ssize(source), rank(), size());
    for (int other = 0; other < size(); ++other) {
      slices[other] = window(other, piece_at(index) + mine.begin);
    }
    sum_to_all(slices, mine.size());
  }
  barrier();
  copy_out(pieces(data) - 1);
}

void ShmCommunicator::broadcast(std::span<float> data, int root) {
  const Meeting met = meet(data);
  if (!met.in_place) return broadcast_windowed(data, root);
  if (rank() != root) std::copy_n(met.buffers[root], data.size(), data.begin());
  barrier();
}

void ShmCommunicator::broadcast_windowed(std::span<float> data, int root) {
  for (int64_t index = 0; index < pieces(data); ++index) {
    const auto part = piece(data, index);
    if (rank() == root) std::copy(part.begin(), part.end(), window(root, piece_at(index)));
    barrier();
    if (rank() != root) {
      std::copy_n(window(root, piece_at(index)), part.size(), part.begin());
    }
  }
  barrier();
}

// All ranks have come, and bring equally much.
ShmCommunicator::Meeting ShmCommunicator::meet(std::span<float> data) {
  Meeting met{.parity = static_cast<int>(calls_++ % 2), .in_place = true, .buffers = {}};
  segment_->slot(rank()).offers[met.parity] = offer(data);
  barrier();
  for (int other = 0; other < size(); ++other) {
    const Offer& theirs = segment_->slot(other).offers[met.parity];
    if (theirs.count != std::ssize(data)) {
      segment_->fail(fmt::format("{} reduces {} values, but {} {}", segment_->roster().who(rank()),
                                 data.size(), segment_->roster().who(other), theirs.count));
    }
    if (theirs.region < 0) {
      met.in_place = false;
      continue;
    }
    const Region& region = regions_[theirs.region];
    std::byte* base = other == rank() ? region.mine.data() : region.others[other].data();
    met.buffers.push_back(reinterpret_cast<float*>(base + theirs.offset));
  }
  return met;
}

Offer ShmCommunicator::offer(std::span<float> data) const {
  const auto* begin = reinterpret_cast<const std::byte*>(data.data());
  for (size_t i = 0; i < regions_.size(); ++i) {
    const std::span<std::byte> mine = regions_[i].mine;
    const bool inside = begin >= mine.data() && begin < mine.data() + mine.size();
    if (!inside || regions_[i].in_use.expired()) continue;
    return {std::ssize(data), static_cast<int64_t>(i), begin - mine.data()};
  }
  return {std::ssize(data), -1, 0};
}

float* ShmCommunicator::window(int other, int64_t first_float) const {
  const Region& region = regions_.front();
  std::byte* base = other == rank() ? region.mine.data() : region.others[other].data();
  return reinterpret_cast<float*>(base) + first_float;
}

void ShmCommunicator::send_bytes(std::span<const std::byte> data, int to, int tag) {
  mail_->exchange({.out = data, .to = to, .in = {}, .from = to, .tag = tag});
}

void ShmCommunicator::recv_bytes(std::span<std::byte> data, int from, int tag) {
  mail_->exchange({.out = {}, .to = from, .in = data, .from = from, .tag = tag});
}

int ShmCommunicator::recv_any_bytes(std::span<std::byte> data, int tag) {
  return mail_->recv_any(data, tag);
}

void ShmCommunicator::exchange_bytes(const Exchange<std::byte>& exchange) {
  mail_->exchange(exchange);
}

std::unique_ptr<Communicator> make_shm(const Roster& roster, const CommOptions& options,
                                       Store& store) {
  return std::make_unique<ShmCommunicator>(roster, options, store);
}

}  // namespace lockstep
