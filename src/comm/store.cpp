#include "comm/store.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

// "host/3" belongs to rank 3; other keys are named as they are.
std::string owner_of(const std::string& key) {
  const std::string last = key.substr(key.rfind('/') + 1);
  return whole_number(last) ? "rank " + last : "'" + key + "'";
}

uint32_t milliseconds(Seconds time) {
  return static_cast<uint32_t>(std::clamp(time.count() * 1e3, 0.0, 4e9));
}

}  // namespace

Store::Store(const StoreOptions& options) : endpoint_(options.endpoint) {
  socket_ = connect_to(endpoint_, options.connect_timeout);
  try {
    const StoreReply welcome = ask(HelloRequest{options.token, options.member}, Seconds{0});
    if (!welcome.texts.empty()) keeper_ = welcome.texts.front();
  } catch (const Error& error) {
    throw Error("{}; check that all processes of the run have the same token", error.what());
  }
}

void Store::set(const std::string& key, const std::string& value) {
  ask(SetRequest{key, value}, Seconds{0});
}

std::vector<std::string> Store::get(const std::vector<std::string>& keys, Seconds timeout) {
  StoreReply reply = ask(GetRequest{keys, milliseconds(timeout)}, timeout);
  if (reply.complete) return std::move(reply.texts);
  std::vector<std::string> owners;
  for (const std::string& key : reply.texts) owners.push_back(owner_of(key));
  throw Error("timeout after {:.0f} s waiting for {}", timeout.count(), fmt::join(owners, ", "));
}

std::string Store::get(const std::string& key, Seconds timeout) {
  return get(std::vector{key}, timeout).front();
}

std::vector<std::string> Store::missing(const std::vector<std::string>& keys, Seconds timeout) {
  StoreReply reply = ask(GetRequest{keys, milliseconds(timeout)}, timeout);
  return reply.complete ? std::vector<std::string>{} : std::move(reply.texts);
}

void Store::barrier(const std::string& name, int rank, int size, Seconds timeout) {
  const std::string prefix = "barrier/" + name + "/";
  set(prefix + std::to_string(rank), "");
  get(numbered_keys(prefix, size), timeout);
}

StoreReply Store::ask(const StoreRequest& request, Seconds timeout) {
  const std::lock_guard lock(mutex_);
  const Seconds patience = answer_timeout_;
  const Frame frame = encode(request);
  if (frame.size() > kFrameHeaderBytes + kMostFrameBytes) {
    throw Error("a request of {} is too large for the store",
                bytes_text(static_cast<int64_t>(frame.size())));
  }
  try {
    write_all(socket_, frame, patience);
    Frame header(kFrameHeaderBytes);
    read_all(socket_, header, timeout + patience);
    Frame body(std::min<size_t>(frame_length(header), 4 * kMostFrameBytes));
    read_all(socket_, body, patience);
    if (auto reply = decode_reply(body)) return *std::move(reply);
    throw Error("it uses another protocol");
  } catch (const Error& error) {
    throw Error("lost the store at {}{}: {}", endpoint_.text(),
                keeper_.empty() ? "" : ", run by " + keeper_, error.what());
  }
}

std::vector<std::string> numbered_keys(const std::string& prefix, int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

}  // namespace lockstep
