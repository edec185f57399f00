// server_protocol.h: the protocol between workers and parameter servers.
//
// A worker always speaks first: a Request, with kDataTag the gradients that it announces. If it
// asks for values, it receives until it has them: the values, then an ServerAnswer. A server sends
// only to a worker that asked it for something and now receives, and every worker asks for a slice
// only after it has pushed it, in one order for all. So nobody waits in a circle, even where a send
// waits for its receiver.
//
// In the end a worker says Done and asks again until nobody trains any more, pulls what all of them
// made, and says Leave. Then all ranks meet in a barrier: none may close its connections while
// others still use theirs.
#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

constexpr int kRequestTag = 1, kDataTag = 2;
constexpr int kNoSlice = -1;
constexpr uint32_t kMostReasonBytes = 1 << 20;  // of a failure

enum class RequestKind : int32_t {
  Visit,      // a push, a pull or both
  StillHere,  // a worker that computes is not a dead one; no answer
  Recall,     // what the optimizer remembers of the slice `pull`, a message per kind; then an
              // ServerAnswer
  Done,       // this worker's last step is over; the ServerAnswer comes at once
  Leave,      // it will not speak again; no answer
  Failed,     // this worker gives up: the reason, `text_bytes` long, follows; no answer
};

struct Request {
  RequestKind kind = RequestKind::Visit;
  int32_t push = kNoSlice, pull = kNoSlice;
  uint32_t text_bytes = 0;
  double learning_rate = 0;  // of what is pushed
  double sent_seconds = 0;   // by the worker's clock
};

struct ServerAnswer {
  double sum_of_squares = 0;   // of the values before it, as far as they decay
  int64_t updates = 0;         // of a Recall: that the slice has had
  int32_t still_training = 0;  // workers that are not done
  uint32_t failure_bytes = 0;  // above zero: the reason follows, and values before it mean nothing
  double waited_seconds = 0, queued_seconds = 0;  // of a pull: ServerHold of measure/transfers.h
};

template <typename Message>
std::span<const std::byte> bytes_of(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}
template <typename Message>
std::span<std::byte> bytes_into(Message& message) {
  return std::as_writable_bytes(std::span(&message, 1));
}

}  // namespace lockstep
