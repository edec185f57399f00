#include "comm/algorithms.h"

#include <fmt/ranges.h>

#include <bit>
#include <vector>

#include "base/error.h"
#include "comm/chunk.h"
#include "comm/reduce_kernels.h"

namespace lockstep {
namespace {

constexpr int kRingTag = kMostTag + 1, kHalvingTag = kMostTag + 2, kTreeTag = kMostTag + 3;

void native(const AllReduceCall& call) { call.comm.all_reduce(call.data); }

// The data is cut into one chunk per rank. In each of ranks-1 rounds a rank passes one chunk to its
// right and adds the chunk that arrives from its left, so it ends with one finished sum; ranks-1
// more rounds pass the sums on. Each rank sends 2(ranks-1)/ranks of the data however many there
// are: this is why large tensors use a ring.
void ring(const AllReduceCall& call) {
  Communicator& comm = call.comm;
  const int ranks = comm.size();
  const int right = wrap(comm.rank() + 1, ranks), left = wrap(comm.rank() - 1, ranks);
  const auto part = [&](int index) {
    return chunk(call.data, wrap(comm.rank() + call.root + index, ranks), ranks);
  };
  for (int round = 0; round + 1 < ranks; ++round) {
    const auto target = part(-round - 1);
    const auto incoming = call.scratch.first(target.size());
    comm.exchange({part(-round), right, incoming, left, kRingTag});
    add_into(target, incoming);
  }
  for (int round = 0; round + 1 < ranks; ++round) {
    comm.exchange({part(1 - round), right, part(-round), left, kRingTag});
  }
}

// Recursive halving and doubling among the first `members` ranks, a power of two. In each of the
// log2(members) rounds two ranks split the range they share: each keeps one half and adds the
// other's half to it; then the same way back, copying. As few bytes as a ring, fewer rounds.
void halve_and_double(const AllReduceCall& call, int members) {
  const int rank = call.comm.rank();
  struct Step {
    int partner;
    std::span<float> kept, given;
  };
  std::vector<Step> steps;
  int first = 0, last = members;
  for (int distance = members / 2; distance > 0; distance /= 2) {
    const int middle = (first + last) / 2;
    auto low = chunks(call.data, first, middle, members);
    auto high = chunks(call.data, middle, last, members);
    const bool keeps_low = (rank & distance) == 0;
    if (!keeps_low) std::swap(low, high);
    const auto incoming = call.scratch.first(low.size());
    steps.push_back({rank ^ distance, low, high});
    call.comm.exchange({high, rank ^ distance, incoming, rank ^ distance, kHalvingTag});
    add_into(low, incoming);
    (keeps_low ? last : first) = middle;
  }
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    call.comm.exchange({step->kept, step->partner, step->given, step->partner, kHalvingTag});
  }
}

// Ranks beyond the largest power of two fold their data into a member's first and get the result.
void halving_doubling(const AllReduceCall& call) {
  Communicator& comm = call.comm;
  const int members = static_cast<int>(std::bit_floor(static_cast<unsigned>(comm.size())));
  if (comm.rank() >= members) {
    comm.send(call.data, comm.rank() - members, kHalvingTag);
    comm.recv(call.data, comm.rank() - members, kHalvingTag);
    return;
  }
  const int folded = comm.rank() + members;
  if (folded < comm.size()) {
    const auto incoming = call.scratch.first(call.data.size());
    comm.recv(incoming, folded, kHalvingTag);
    add_into(call.data, incoming);
  }
  halve_and_double(call, members);
  if (folded < comm.size()) comm.send(call.data, folded, kHalvingTag);
}

// Sums flow to the root along a binomial tree, and the result back: few messages of the whole data,
// so it suits small tensors, and it is what a parameter server does.
void tree(const AllReduceCall& call) {
  Communicator& comm = call.comm;
  const int ranks = comm.size();
  const int place = wrap(comm.rank() - call.root, ranks);  // the root stands at 0
  const auto rank_at = [&](int other) { return wrap(other + call.root, ranks); };
  const int height = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks)));
  // A place's parent lacks its lowest one bit; the root is below none.
  const int reach = place == 0 ? height : place & -place;
  for (int bit = 1; bit < reach; bit *= 2) {
    if (place + bit >= ranks) break;
    const auto incoming = call.scratch.first(call.data.size());
    comm.recv(incoming, rank_at(place + bit), kTreeTag);
    add_into(call.data, incoming);
  }
  if (place != 0) {
    comm.send(call.data, rank_at(place - reach), kTreeTag);
    comm.recv(call.data, rank_at(place - reach), kTreeTag);
  }
  for (int bit = reach / 2; bit > 0; bit /= 2) {
    if (place + bit < ranks) comm.send(call.data, rank_at(place + bit), kTreeTag);
  }
}

constexpr AllReduceAlgorithm kAlgorithms[] = {
    {"native", "the backend's own algorithm", native},
    {"ring", "chunks passed around a ring: fewest bytes, many rounds", ring},
    {"halving_doubling", "ranges halved in pairs: fewest bytes, few rounds", halving_doubling},
    {"tree", "reduction to one rank, then broadcast: fewest messages", tree},
};

}  // namespace

std::span<const AllReduceAlgorithm> all_reduce_algorithms() { return kAlgorithms; }

const AllReduceAlgorithm& find_all_reduce_algorithm(std::string_view name) {
  std::vector<std::string_view> names;
  for (const AllReduceAlgorithm& algorithm : kAlgorithms) {
    if (algorithm.name == name) return algorithm;
    names.push_back(algorithm.name);
  }
  throw UsageError("unknown all-reduce algorithm '{}'; there are {}", name, fmt::join(names, ", "));
}

}  // namespace lockstep
