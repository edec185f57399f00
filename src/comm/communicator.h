// communicator.h: communication between ranks: all-reduce, broadcast, messages.
//
// Every call blocks until this rank's part is done, and one thread at a time uses a communicator;
// overlap comes from giving it a thread of its own. All ranks call the collectives in the same
// order with equal sizes. A call throws Error when a peer died, left, or nothing moved for the
// stall time-out; the message names the rank and its host, and the communicator is of no further
// use. Messages between two ranks with one tag arrive in the order in which they were sent; an
// empty message is not sent. send may wait for its receiver: two ranks that both send first use
// exchange instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/memory.h"

namespace lockstep {

constexpr int kMostTag = 65535;  // larger tags are the algorithms' own

// Two messages at once, one each way; the peers may differ (a ring).
template <typename Element>
struct Exchange {
  std::span<const Element> out;
  int to = 0;
  std::span<Element> in;
  int from = 0;
  int tag = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The sum over all ranks, in place: the same bits on every rank and in every repetition.
  virtual void all_reduce(std::span<float> data) = 0;
  virtual void broadcast(std::span<float> data, int root) = 0;
  virtual void barrier() = 0;

  // Memory that all_reduce and broadcast use without a copy. Every rank calls it in the same order
  // with the same size. It may outlive the communicator.
  virtual Memory allocate(int64_t bytes) = 0;

  virtual void send_bytes(std::span<const std::byte> data, int to, int tag) = 0;
  virtual void recv_bytes(std::span<std::byte> data, int from, int tag) = 0;
  // Whoever sends first with this tag; returns the rank. At least one byte.
  virtual int recv_any_bytes(std::span<std::byte> data, int tag) = 0;
  virtual void exchange_bytes(const Exchange<std::byte>& exchange) = 0;

  void send(std::span<const float> data, int to, int tag) {
    send_bytes(std::as_bytes(data), to, tag);
  }
  void recv(std::span<float> data, int from, int tag) {
    recv_bytes(std::as_writable_bytes(data), from, tag);
  }
  int recv_any(std::span<float> data, int tag) {
    return recv_any_bytes(std::as_writable_bytes(data), tag);
  }
  void exchange(const Exchange<float>& e) {
    exchange_bytes({std::as_bytes(e.out), e.to, std::as_writable_bytes(e.in), e.from, e.tag});
  }
};

}  // namespace lockstep
