// shm_mail.h: messages between ranks of one host, through a pipe of shared memory for each pair.
//
// A message is a header and its bytes, streamed through the pipe as far as there is room, so its
// size does not matter. A message of another tag than the wanted one is kept for later.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/shm_segment.h"

namespace lockstep {

class ShmMail {
 public:
  explicit ShmMail(ShmSegment& segment);

  void exchange(const Exchange<std::byte>& exchange);  // either side may be empty
  int recv_any(std::span<std::byte> data, int tag);

 private:
  struct Header {
    uint64_t bytes = 0;
    int64_t tag = 0;
  };
  struct Outgoing {
    int to;
    Header header;
    std::span<const std::byte> header_rest, rest;
    bool done() const { return header_rest.empty() && rest.empty(); }
  };
  struct Wanted {
    int from, tag;
    std::span<std::byte> data;
    bool done;
  };
  struct Letter {
    int tag = 0;
    std::vector<std::byte> bytes;
  };
  struct Inbox {
    std::deque<Letter> letters;     // oldest first; the last may still be arriving
    std::span<std::byte> arriving;  // what the current message still lacks
    bool direct = false;            // straight into the wanted span
    bool idle() const { return arriving.empty(); }
  };

  bool push(Outgoing& message);  // true: something moved
  bool pull(int from, Wanted* wanted);
  void begin(int from, Wanted* wanted, const Header& header);
  bool take_letter(Wanted& wanted);
  size_t write(int to, std::span<const std::byte> data);
  size_t read(int from, std::span<std::byte> data);

  ShmSegment& segment_;         // borrowed from the communicator
  std::vector<Inbox> inboxes_;  // by source
};

}  // namespace lockstep
