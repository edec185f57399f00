#include "doctor/link_probe.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/network_interface.h"
#include "comm/store_protocol.h"
#include "config/json.h"

namespace lockstep {
namespace {

constexpr Seconds kPatience{5};
constexpr int kTickMilliseconds = 100;
constexpr int kEchoes = 101;
constexpr size_t kFirstBytes = 1 << 20, kMostBytes = 256u << 20;
constexpr double kSecondsOfBulk = 0.3;

struct Head {
  std::array<char, 64> token = {};
  uint64_t echoes = 0, bytes = 0;
};

Head head_for(const std::string& token, uint64_t echoes, uint64_t bytes) {
  Head head = {.token = {}, .echoes = echoes, .bytes = bytes};
  std::copy_n(token.begin(), std::min(token.size(), head.token.size()), head.token.begin());
  return head;
}

std::span<std::byte> bytes_of(Head& head) { return std::as_writable_bytes(std::span(&head, 1)); }

// Byte by byte: a stranger who sends one now and then must not keep the server from others.
Head head_within(const Descriptor& socket, Seconds all) {
  Head head;
  const TimePoint begin = Clock::now();
  for (std::byte& each : bytes_of(head)) {
    read_all(socket, {&each, 1}, std::max(all - seconds_since(begin), Seconds{0}));
  }
  return head;
}

std::string_view token_of(const Head& head) { return {head.token.data(), head.token.size()}; }

void answer(const Descriptor& socket, const std::string& token, Seconds for_the_head) {
  const Head head = head_within(socket, for_the_head), expected = head_for(token, 0, 0);
  if (!equal_in_constant_time(token_of(head), token_of(expected))) return;  // wrong token
  std::byte ball[1];
  for (uint64_t i = 0; i < head.echoes; ++i) {
    read_all(socket, ball, kPatience);
    write_all(socket, ball, kPatience);
  }
  std::vector<std::byte> sink(1 << 18);
  for (uint64_t left = head.bytes; left > 0;) {
    const size_t part = std::min<uint64_t>(left, sink.size());
    read_all(socket, std::span(sink).first(part), kPatience);
    left -= part;
  }
  write_all(socket, ball, kPatience);
}

// Returns when the other side has received all bytes.
Seconds time_bytes(const Descriptor& socket, const std::string& token, size_t bytes) {
  Head head = head_for(token, 0, bytes);
  const std::vector<std::byte> data(1 << 18);
  std::byte ball[1];
  const TimePoint start = Clock::now();
  write_all(socket, bytes_of(head), kPatience);
  for (size_t left = bytes; left > 0;) {
    const size_t part = std::min(left, data.size());
    write_all(socket, std::span(data).first(part), kPatience);
    left -= part;
  }
  read_all(socket, ball, kPatience);
  return seconds_since(start);
}

Seconds time_echoes(const Descriptor& socket, const std::string& token) {
  Head head = head_for(token, kEchoes, 0);
  write_all(socket, bytes_of(head), kPatience);
  std::vector<Seconds> times;
  std::byte ball[1] = {};
  for (int i = 0; i < kEchoes; ++i) {
    const TimePoint start = Clock::now();
    write_all(socket, ball, kPatience);
    read_all(socket, ball, kPatience);
    times.push_back(seconds_since(start));
  }
  std::ranges::nth_element(times, times.begin() + kEchoes / 2);
  return times[kEchoes / 2] / 2;
}

}  // namespace

EchoServer::EchoServer(const std::string& token, Seconds for_a_token)
    : token_(token),
      for_a_token_(for_a_token),
      listener_(listen_on({})),
      port_(local_port(listener_)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

EchoServer::~EchoServer() = default;

void EchoServer::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd news = {.fd = listener_.number(), .events = POLLIN, .revents = 0};
    if (poll(&news, 1, kTickMilliseconds) <= 0) continue;
    const Descriptor socket(
        accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    try {
      if (socket) answer(socket, token_, for_a_token_);
    } catch (const Error&) {  // the other side notices and reports it
    }
  }
}

LinkSpeed measure_link(const Endpoint& there, const std::string& token) {
  LinkSpeed speed;
  size_t bytes = kFirstBytes;
  {
    const Descriptor socket = connect_to(there, kPatience);
    speed.interface = interface_with(local_address(socket));
    speed.latency = time_echoes(socket, token);
  }
  // The shorter of two times: a busy moment of the host would make the next message too small, and
  // a link with a burst budget would look faster than it is.
  const auto once = [&] { return time_bytes(connect_to(there, kPatience), token, bytes); };
  const Seconds first = std::min(once(), once());
  bytes =
      std::clamp(static_cast<size_t>(static_cast<double>(bytes) / first.count() * kSecondsOfBulk),
                 kFirstBytes, kMostBytes);
  const Seconds time = once();
  speed.bytes_per_second = static_cast<double>(bytes) / time.count();
  return speed;
}

Json interface_facts() {
  Json facts = Json::array();
  for (const NetworkInterface& each : network_interfaces()) {
    if (is_loopback(each.address) || each.address.starts_with("fe80:")) continue;
    const std::optional<int> mbit = mbit_per_second(each.name);
    facts.push_back({{"name", each.name},
                     {"address", each.address},
                     {"mbit_per_second", mbit ? Json(*mbit) : Json(nullptr)}});
  }
  return facts;
}

}  // namespace lockstep
