#include "comm/gather.h"

#include "base/error.h"
#include "comm/chunk.h"

namespace lockstep {
namespace {

constexpr int kTextTag = kMostTag + 5;
// The length comes from a peer, which could ask for any memory. Records of a long run are
// gigabytes.
constexpr uint64_t kMostTextBytes = uint64_t{4} << 30;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string room_for_text(uint64_t length, int from) {
  if (length > kMostTextBytes) throw Error("rank {} announced a text of {} bytes", from, length);
  return std::string(length, '\0');
}

void send_text(Communicator& comm, const std::string& text, int to) {
  const uint64_t length = text.size();
  comm.send_bytes(std::as_bytes(std::span(&length, 1)), to, kTextTag);
  comm.send_bytes(bytes_of(text), to, kTextTag);
}

std::string recv_text(Communicator& comm, int from) {
  uint64_t length = 0;
  comm.recv_bytes(std::as_writable_bytes(std::span(&length, 1)), from, kTextTag);
  std::string text = room_for_text(length, from);
  comm.recv_bytes(std::as_writable_bytes(std::span(text)), from, kTextTag);
  return text;
}

}  // namespace

std::vector<std::string> all_gather(Communicator& comm, const std::string& mine) {
  std::vector<std::string> texts(comm.size());
  texts[comm.rank()] = mine;
  for (int round = 1; round < comm.size(); ++round) {
    const int to = wrap(comm.rank() + round, comm.size());
    const int from = wrap(comm.rank() - round, comm.size());
    const uint64_t out = mine.size();
    uint64_t in = 0;
    comm.exchange_bytes({std::as_bytes(std::span(&out, 1)), to,
                         std::as_writable_bytes(std::span(&in, 1)), from, kTextTag});
    texts[from] = room_for_text(in, from);
    comm.exchange_bytes(
        {bytes_of(mine), to, std::as_writable_bytes(std::span(texts[from])), from, kTextTag});
  }
  return texts;
}

std::vector<std::string> gather(Communicator& comm, const std::string& mine, int root) {
  if (comm.rank() != root) {
    send_text(comm, mine, root);
    return {};
  }
  std::vector<std::string> texts;
  for (int rank = 0; rank < comm.size(); ++rank) {
    texts.push_back(rank == root ? mine : recv_text(comm, rank));
  }
  return texts;
}

std::string broadcast_text(Communicator& comm, const std::string& text, int root) {
  if (comm.rank() != root) return recv_text(comm, root);
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank != root) send_text(comm, text, rank);
  }
  return text;
}

}  // namespace lockstep
