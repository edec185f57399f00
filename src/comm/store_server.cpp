#include "comm/store_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <list>
#include <unordered_map>

#include "base/error.h"
#include "base/log_line.h"
#include "base/text.h"
#include "comm/store_protocol.h"

namespace lockstep {
namespace {

constexpr size_t kMostUnsentBytes = 64 << 20;   // to a member that does not read
constexpr size_t kMostStoredBytes = 256 << 20;  // by all members
constexpr int64_t kDropsLoggedFully = 16;

struct Connection {
  Descriptor socket;
  std::string peer;
  TimePoint since = Clock::now();
  bool member = false;
  std::string name;   // of a member, if it gave one
  bool gone = false;  // dropped in this round: swept at its end
  Frame input, output;
  std::optional<GetRequest> waiting;
  TimePoint waiting_until{};
};

}  // namespace

class StoreServer::Loop {
 public:
  explicit Loop(const StoreServerOptions& options)
      : options_(options), listener_(listen_on(options.endpoint)), wake_(eventfd(0, EFD_CLOEXEC)) {
    if (!wake_) throw Error("cannot create an event descriptor: {}", std::strerror(errno));
  }

  const Descriptor& listener() const { return listener_; }
  int64_t dropped() const { return dropped_.load(); }

  void stop() {
    stopping_ = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
  }

  void run() {
    for (bool ending = false;;) {
      if (stopping_ && !ending) last_request_ = Clock::now();
      ending = stopping_;
      wake_at_ = ending ? last_request_ + ticks(options_.farewell_timeout) : TimePoint::max();
      if (ending && (!has_members() || Clock::now() >= wake_at_)) return;
      const std::vector<pollfd> ready = poll_all();
      auto entry = ready.begin() + 2;
      for (Connection& c : connections_) {
        const short events = (entry++)->revents;
        if (events != 0) guarded(c, [&] { serve(c, events); });
      }
      expire();
      if (ready[1].revents != 0) accept_new();
      announce_losses();
      connections_.remove_if([](const Connection& c) { return c.gone; });
    }
  }

 private:
  // What goes wrong with one connection ends that connection only.
  template <typename Action>
  void guarded(Connection& c, const Action& action) {
    if (c.gone) return;
    try {
      action();
    } catch (const Error& error) {
      drop(c, error.what());
    }
  }

  std::vector<pollfd> poll_all() {
    const bool stopping = wake_at_ != TimePoint::max();  // it was woken: once is enough
    const int wake = stopping ? -1 : wake_.number();
    std::vector<pollfd> entries = {{wake, POLLIN, 0}, {listener_.number(), POLLIN, 0}};
    auto deadline = wake_at_;
    for (const Connection& c : connections_) {
      const short out = c.output.empty() ? short{0} : short{POLLOUT};
      entries.push_back({c.socket.number(), static_cast<short>(POLLIN | out), 0});
      if (!c.member) deadline = std::min(deadline, stranger_deadline(c));
      if (c.waiting) deadline = std::min(deadline, c.waiting_until);
    }
    int milliseconds = -1;
    if (deadline != TimePoint::max()) {
      const Seconds left = deadline - Clock::now();
      milliseconds = static_cast<int>(std::clamp(left.count() * 1e3 + 1, 0.0, 1e9));
    }
    if (poll(entries.data(), entries.size(), milliseconds) < 0) {
      for (pollfd& entry : entries) entry.revents = 0;
    }
    return entries;
  }

  TimePoint stranger_deadline(const Connection& c) const {
    return c.since + ticks(options_.stranger_timeout);
  }
  static Clock::duration ticks(Seconds time) {
    return std::chrono::duration_cast<Clock::duration>(time);
  }

  void accept_new() {
    for (;;) {
      Descriptor socket(
          accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) {
        // Without a free descriptor the listener would stay ready for ever: a stranger makes room.
        const bool full = errno == EMFILE || errno == ENFILE;
        if (full && !drop_oldest_stranger()) std::this_thread::sleep_for(Seconds{0.05});
        return;
      }
      if (strangers() >= options_.most_strangers) drop_oldest_stranger();
      Connection& c = connections_.emplace_back();
      c.peer = peer_text(socket);
      c.socket = std::move(socket);
    }
  }

  bool has_members() const {
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const Connection& c) { return c.member; });
  }

  int strangers() const {
    return static_cast<int>(std::count_if(connections_.begin(), connections_.end(),
                                          [](const Connection& c) { return is_stranger(c); }));
  }

  static bool is_stranger(const Connection& c) { return !c.member && !c.gone; }

  bool drop_oldest_stranger() {
    const auto oldest = std::find_if(connections_.begin(), connections_.end(),
                                     [](const Connection& c) { return is_stranger(c); });
    if (oldest == connections_.end()) return false;
    drop(*oldest, "too many connections without a token");
    return true;
  }

  void serve(Connection& c, short events) {
    if (events & POLLOUT) flush(c);
    if (events & (POLLIN | POLLHUP | POLLERR)) {
      read_some(c);
      while (handle_frame(c)) {
      }
    }
  }

  void read_some(Connection& c) {
    std::byte buffer[65536];
    // Of a stranger no more than its first frame is read.
    const size_t most = c.member ? sizeof buffer : kFrameHeaderBytes + kMostHelloBytes;
    const ssize_t count = ::recv(c.socket.number(), buffer, most, 0);
    if (count > 0) {
      c.input.insert(c.input.end(), buffer, buffer + count);
    } else if (count == 0) {
      throw Error(std::string(c.member ? "" : "it disconnected without a request"));
    } else if (errno != EAGAIN && errno != EINTR) {
      throw Error("{}", std::strerror(errno));
    }
  }

  // One request of those that have arrived; false when there is none yet.
  bool handle_frame(Connection& c) {
    if (c.input.size() < kFrameHeaderBytes) return false;
    const size_t length = frame_length(c.input);
    if (length > (c.member ? kMostFrameBytes : kMostHelloBytes)) {
      throw Error("message too long: {}", bytes_text(static_cast<int64_t>(length)));
    }
    if (c.input.size() < kFrameHeaderBytes + length) return false;
    const auto request = decode_request(std::span(c.input).subspan(kFrameHeaderBytes, length));
    if (!request) throw Error("not the protocol of the store");
    c.input.erase(c.input.begin(), c.input.begin() + static_cast<long>(kFrameHeaderBytes + length));
    if (!c.member && !std::holds_alternative<HelloRequest>(*request)) throw Error("no token");
    last_request_ = Clock::now();
    std::visit([&](const auto& fields) { handle(c, fields); }, *request);
    return true;
  }

  void handle(Connection& c, const HelloRequest& hello) {
    if (!equal_in_constant_time(hello.token, options_.token)) throw Error("wrong token");
    c.member = true;
    c.name = hello.member;
    StoreReply welcome;
    if (!options_.keeper.empty()) welcome.texts.push_back(options_.keeper);
    reply(c, welcome);
  }

  void handle(Connection& c, const SetRequest& set) {
    stored_bytes_ += set.key.size() + set.value.size();
    if (stored_bytes_ > kMostStoredBytes) throw Error("the store is full");
    values_[set.key] = set.value;
    reply(c, {});
    answer_all_possible();
  }

  void answer_all_possible() {
    for (Connection& other : connections_) {
      guarded(other, [&] { answer_if_possible(other); });
    }
  }

  void handle(Connection& c, const GetRequest& get) {
    c.waiting = get;
    c.waiting_until = Clock::now() + std::chrono::milliseconds(get.milliseconds);
    answer_if_possible(c);
  }

  void answer_if_possible(Connection& c) {
    if (!c.waiting) return;
    StoreReply found;
    for (const std::string& key : c.waiting->keys) {
      const auto value = values_.find(key);
      if (value == values_.end()) return;
      found.texts.push_back(value->second);
    }
    c.waiting.reset();
    reply(c, found);
  }

  void answer_what_is_missing(Connection& c) {
    StoreReply answer{.complete = false, .texts = {}};
    for (const std::string& key : c.waiting->keys) {
      if (!values_.contains(key)) answer.texts.push_back(key);
    }
    c.waiting.reset();
    reply(c, answer);
  }

  void expire() {
    const TimePoint now = Clock::now();
    for (Connection& c : connections_) {
      if (is_stranger(c) && now >= stranger_deadline(c)) {
        drop(c, "it sent no token in time");
      } else if (c.waiting && now >= c.waiting_until) {
        guarded(c, [&] { answer_what_is_missing(c); });
      }
    }
  }

  void reply(Connection& c, const StoreReply& answer) {
    const Frame frame = encode(answer);
    c.output.insert(c.output.end(), frame.begin(), frame.end());
    if (c.output.size() > kMostUnsentBytes) throw Error("it does not read its replies");
    flush(c);
  }

  void flush(Connection& c) {
    const ssize_t done = ::send(c.socket.number(), c.output.data(), c.output.size(), MSG_NOSIGNAL);
    if (done > 0) c.output.erase(c.output.begin(), c.output.begin() + done);
    if (done < 0 && errno != EAGAIN && errno != EINTR) throw Error("{}", std::strerror(errno));
  }

  void announce_losses() {
    bool any = false;
    for (const Connection& c : connections_) {
      if (!c.gone || c.name.empty()) continue;
      values_["gone/" + c.name] = "";
      any = true;
    }
    if (any) answer_all_possible();
  }

  // A member that hangs up is nothing to speak of.
  void drop(Connection& c, const std::string& reason) {
    c.gone = true;
    c.waiting.reset();
    const bool farewell = c.member && reason.empty();
    const int64_t count = farewell ? 0 : ++dropped_;
    c.socket.reset();
    if (farewell) return;
    if (count <= kDropsLoggedFully || std::has_single_bit(static_cast<uint64_t>(count))) {
      log_line(fmt::format("store: dropped {}: {} ({} so far)", c.peer, reason, count));
    }
  }

  const StoreServerOptions options_;
  Descriptor listener_, wake_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int64_t> dropped_ = 0;
  std::list<Connection> connections_;  // oldest first
  std::unordered_map<std::string, std::string> values_;
  TimePoint wake_at_ = TimePoint::max(), last_request_{};
  size_t stored_bytes_ = 0;  // ever; a run stores little
};

StoreServer::StoreServer(const StoreServerOptions& options) {
  if (options.token.size() < 16) throw Error("the store's token must have at least 16 characters");
  loop_ = std::make_unique<Loop>(options);
  port_ = local_port(loop_->listener());
  thread_ = std::jthread([this] { loop_->run(); });
}

StoreServer::~StoreServer() { loop_->stop(); }

int64_t StoreServer::dropped() const { return loop_->dropped(); }

}  // namespace lockstep
