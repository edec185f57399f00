#include "comm/shm_mail.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace lockstep {

ShmMail::ShmMail(ShmSegment& segment) : segment_(segment), inboxes_(segment.roster().size()) {}

void ShmMail::exchange(const Exchange<std::byte>& e) {
  Outgoing out{e.to, {e.out.size(), e.tag}, {}, e.out};
  if (!e.out.empty()) out.header_rest = std::as_bytes(std::span(&out.header, 1));
  Wanted in{e.from, e.tag, e.in, e.in.empty()};
  const auto moved = [&] {
    const bool sent = !out.done() && push(out);
    const bool received = !in.done && (take_letter(in) || pull(in.from, &in));
    return sent || received || (out.done() && in.done);
  };
  while (!out.done() || !in.done) {
    segment_.wait(moved, [&] {
      std::vector<int> awaited;
      if (!out.done()) awaited.push_back(out.to);
      if (!in.done && (out.done() || in.from != out.to)) awaited.push_back(in.from);
      return awaited;
    });
  }
}

int ShmMail::recv_any(std::span<std::byte> data, int tag) {
  const int ranks = segment_.roster().size();
  int found = -1;
  const auto look = [&] {
    for (int from = 0; from < ranks && found < 0; ++from) {
      Wanted wanted{from, tag, data, false};
      while (!take_letter(wanted) && pull(from, nullptr)) {
      }
      if (wanted.done) found = from;
    }
    return found >= 0;
  };
  segment_.wait(look, [&] {
    std::vector<int> others;
    for (int from = 0; from < ranks; ++from) {
      if (from != segment_.roster().rank) others.push_back(from);
    }
    return others;
  });
  return found;
}

bool ShmMail::push(Outgoing& message) {
  size_t moved = 0;
  for (std::span<const std::byte>* part : {&message.header_rest, &message.rest}) {
    const size_t done = write(message.to, *part);
    *part = part->subspan(done);
    moved += done;
    if (!part->empty()) break;
  }
  if (moved > 0) segment_.ring(message.to);
  return moved > 0;
}

bool ShmMail::pull(int from, Wanted* wanted) {
  Inbox& inbox = inboxes_[from];
  if (inbox.idle()) {
    const ShmPipe& pipe = segment_.pipe(from, segment_.roster().rank);
    if (pipe.written.load() - pipe.read.load() < sizeof(Header)) return false;
    Header header;
    read(from, std::as_writable_bytes(std::span(&header, 1)));
    begin(from, wanted, header);
  }
  const size_t done = read(from, inbox.arriving);
  inbox.arriving = inbox.arriving.subspan(done);
  if (inbox.direct && inbox.idle()) wanted->done = true;
  if (done > 0) segment_.ring(from);
  return done > 0;
}

void ShmMail::begin(int from, Wanted* wanted, const Header& header) {
  Inbox& inbox = inboxes_[from];
  inbox.direct = wanted && wanted->tag == header.tag;
  if (inbox.direct && wanted->data.size() != header.bytes) {
    segment_.fail(fmt::format("{} sent {} bytes where {} were expected",
                              segment_.roster().who(from), header.bytes, wanted->data.size()));
  }
  if (inbox.direct) {
    inbox.arriving = wanted->data;
    return;
  }
  inbox.letters.push_back({static_cast<int>(header.tag), std::vector<std::byte>(header.bytes)});
  inbox.arriving = inbox.letters.back().bytes;
}

// A complete letter of the wanted tag; the last one may be on its way.
bool ShmMail::take_letter(Wanted& wanted) {
  Inbox& inbox = inboxes_[wanted.from];
  const auto end = inbox.letters.end() - (inbox.idle() || inbox.direct ? 0 : 1);
  const auto letter = std::find_if(inbox.letters.begin(), end,
                                   [&](const Letter& l) { return l.tag == wanted.tag; });
  if (letter == end) return false;
  if (letter->bytes.size() != wanted.data.size()) {
    segment_.fail(fmt::format("{} sent {} bytes where {} were expected",
                              segment_.roster().who(wanted.from), letter->bytes.size(),
                              wanted.data.size()));
  }
  std::copy(letter->bytes.begin(), letter->bytes.end(), wanted.data.begin());
  inbox.letters.erase(letter);
  return wanted.done = true;
}

size_t ShmMail::write(int to, std::span<const std::byte> data) {
  ShmPipe& pipe = segment_.pipe(segment_.roster().rank, to);
  const uint64_t written = pipe.written.load(std::memory_order_relaxed);
  const uint64_t room = ShmPipe::kBytes - (written - pipe.read.load());
  const uint64_t count = std::min<uint64_t>(room, data.size());
  const uint64_t at = written % ShmPipe::kBytes;
  const uint64_t first = std::min(count, ShmPipe::kBytes - at);
  if (count == 0) return 0;
  std::memcpy(pipe.bytes + at, data.data(), first);
  std::memcpy(pipe.bytes, data.data() + first, count - first);
  pipe.written = written + count;
  return count;
}

size_t ShmMail::read(int from, std::span<std::byte> data) {
  ShmPipe& pipe = segment_.pipe(from, segment_.roster().rank);
  const uint64_t start = pipe.read.load(std::memory_order_relaxed);
  const uint64_t count = std::min<uint64_t>(pipe.written.load() - start, data.size());
  const uint64_t at = start % ShmPipe::kBytes;
  const uint64_t first = std::min(count, ShmPipe::kBytes - at);
  if (count == 0) return 0;
  std::memcpy(data.data(), pipe.bytes + at, first);
  std::memcpy(data.data() + first, pipe.bytes, count - first);
  pipe.read = start + count;
  return count;
}

}  // namespace lockstep
