// store_protocol.h: the protocol between the store's server and its clients.
//
// A frame is its length (32 bits, little end first) and that many bytes: a kind and its fields.
// Texts and lists carry their own lengths. Nothing that arrives is trusted: a frame that is too
// long, too short or has bytes left over is no request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep {

constexpr size_t kFrameHeaderBytes = 4;
constexpr size_t kMostFrameBytes = 16 << 20;
constexpr size_t kMostHelloBytes = 512;  // the first frame of a connection

struct HelloRequest {
  std::string token = {};
  std::string member = {};  // when this connection ends, "gone/<member>" is set; empty: nothing is
};
struct SetRequest {
  std::string key, value;
};
struct GetRequest {
  std::vector<std::string> keys;
  uint32_t milliseconds = 0;  // to wait for all of them
};
using StoreRequest = std::variant<HelloRequest, SetRequest, GetRequest>;

struct StoreReply {
  bool complete = true;            // false: `texts` are the keys that did not come
  std::vector<std::string> texts;  // values in the order of the keys
};

using Frame = std::vector<std::byte>;

Frame encode(const StoreRequest& request);  // the whole frame
Frame encode(const StoreReply& reply);
std::optional<StoreRequest> decode_request(std::span<const std::byte> body);
std::optional<StoreReply> decode_reply(std::span<const std::byte> body);
uint32_t frame_length(std::span<const std::byte> header);  // of at least kFrameHeaderBytes

// Takes equally long wherever the first difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace lockstep
