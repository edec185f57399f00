#include "comm/store_protocol.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lockstep {
namespace {

std::span<const std::byte> body(const Frame& frame) {
  return std::span(frame).subspan(kFrameHeaderBytes);
}

TEST(StoreProtocol, RequestsArriveAsTheyWereSent) {
  const auto set = decode_request(body(encode(SetRequest{"key", std::string("\0\xff", 2)})));
  ASSERT_TRUE(set && std::holds_alternative<SetRequest>(*set));
  EXPECT_EQ(std::get<SetRequest>(*set).value, std::string("\0\xff", 2));
  const auto get = decode_request(body(encode(GetRequest{{"a", "", "b"}, 77})));
  ASSERT_TRUE(get && std::holds_alternative<GetRequest>(*get));
  EXPECT_EQ(std::get<GetRequest>(*get).keys, (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(std::get<GetRequest>(*get).milliseconds, 77u);
  const auto hello = decode_request(body(encode(HelloRequest{"secret", "3"})));
  ASSERT_TRUE(hello && std::holds_alternative<HelloRequest>(*hello));
  EXPECT_EQ(std::get<HelloRequest>(*hello).member, "3");
  const auto reply = decode_reply(body(encode(StoreReply{false, {"x"}})));
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->complete);
}

TEST(StoreProtocol, AFrameSaysItsLengthFirst) {
  const Frame frame = encode(SetRequest{"k", "value"});
  EXPECT_EQ(frame_length(frame), frame.size() - kFrameHeaderBytes);
}

TEST(StoreProtocol, NoTruncatedOrLengthenedFrameIsARequest) {
  for (const StoreRequest& request :
       {StoreRequest(HelloRequest{"token", "1"}), StoreRequest(SetRequest{"key", "value"}),
        StoreRequest(GetRequest{{"one", "two"}, 5})}) {
    Frame frame = encode(request);
    for (size_t size = 0; size < frame.size() - kFrameHeaderBytes; ++size) {
      EXPECT_FALSE(decode_request(body(frame).first(size))) << size;
    }
    frame.push_back(std::byte{0});
    EXPECT_FALSE(decode_request(body(frame)));
  }
}

// Flipping bytes must never make the decoder read beyond its input (the sanitizers watch) or
// believe in lengths that are not there.
TEST(StoreProtocol, DamagedFramesAreRequestsOrNothing) {
  const Frame good = encode(GetRequest{{"host/0", "host/1", "host/2"}, 1000});
  const RandomStream random(7, 0);
  for (uint64_t round = 0; round < 20000; ++round) {
    Frame damaged = good;
    for (uint64_t flip = 0; flip <= round % 4; ++flip) {
      const uint64_t bits = random.bits(round * 4 + flip);
      damaged[bits % damaged.size()] = static_cast<std::byte>(bits >> 32);
    }
    const auto request = decode_request(body(damaged));
    if (!request || !std::holds_alternative<GetRequest>(*request)) continue;
    EXPECT_LE(std::get<GetRequest>(*request).keys.size(), good.size());
  }
}

TEST(StoreProtocol, RandomBytesAreNoHello) {
  const RandomStream random(8, 0);
  for (uint64_t round = 0; round < 20000; ++round) {
    Frame noise(random.bits(round) % 100);
    for (size_t i = 0; i < noise.size(); ++i) {
      noise[i] = static_cast<std::byte>(random.bits(round * 1000 + i) & 3);
    }
    const auto request = decode_request(noise);
    EXPECT_FALSE(request && std::holds_alternative<HelloRequest>(*request));
    decode_reply(noise);
  }
}

TEST(StoreProtocol, TokensAreEqualOnlyInFull) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abcd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
}

}  // namespace
}  // namespace lockstep
