// Strangers at the store's door: whatever they send, they are dropped and the run goes on.
#include "comm/store_server.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "base/random_token.h"
#include "comm/store.h"
#include "support/wait_until.h"

namespace lockstep {
namespace {

class Strangers : public ::testing::Test {
 protected:
  Descriptor stranger() { return connect_to({"127.0.0.1", server_.port()}, Seconds{10}); }
  StoreOptions joining() const { return {{"127.0.0.1", server_.port()}, token_, "", Seconds{10}}; }

  // Reads until the server hangs up; throws when it does not.
  static void expect_dropped(const Descriptor& socket) {
    std::byte rest[1];
    EXPECT_THROW(read_all(socket, rest, Seconds{60}), Error);
  }
  void expect_running() {
    Store store(joining());
    store.set("alive", "yes");
    EXPECT_EQ(store.get("alive", Seconds{10}), "yes");
  }
  // The server may hang up before all is written.
  static void shout(const Descriptor& socket, std::span<const std::byte> data) {
    try {
      write_all(socket, data, Seconds{60});
    } catch (const Error&) {
    }
  }

  std::string token_ = random_token();
  StoreServer server_{{.endpoint = {"127.0.0.1", 0},
                       .token = token_,
                       .stranger_timeout = Seconds{0.3},
                       .most_strangers = 8}};
};

Frame noise(uint64_t seed, size_t size) {
  const RandomStream random(seed, 0);
  Frame bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(random.bits(i));
  return bytes;
}

TEST_F(Strangers, WithRandomBytesAreDropped) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Descriptor socket = stranger();
    shout(socket, noise(seed, 1 + seed * 7 % 3000));
    expect_dropped(socket);
  }
  EXPECT_EQ(server_.dropped(), 200);
  expect_running();
}

TEST_F(Strangers, WithARequestAndNoTokenAreDropped) {
  for (const StoreRequest& request :
       {StoreRequest(SetRequest{"alive", "no"}), StoreRequest(GetRequest{{"alive"}, 1000000})}) {
    const Descriptor socket = stranger();
    shout(socket, encode(request));
    expect_dropped(socket);
  }
  expect_running();
}

TEST_F(Strangers, WithAWrongTokenAreDropped) {
  for (const std::string& token : {std::string(), token_ + "x", token_.substr(1), random_token()}) {
    const Descriptor socket = stranger();
    shout(socket, encode(HelloRequest{token, ""}));
    expect_dropped(socket);
  }
  EXPECT_EQ(server_.dropped(), 4);
}

TEST_F(Strangers, ThatAnnounceGigabytesAreDroppedBeforeTheySendThem) {
  for (const unsigned char last : {0x01, 0x7f, 0xff}) {
    const Descriptor socket = stranger();
    const Frame header = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{last}};
    shout(socket, header);
    expect_dropped(socket);
  }
  expect_running();
}

TEST_F(Strangers, ThatStopInTheMiddleOfAFrameRunOutOfTime) {
  const Frame hello = encode(HelloRequest{token_, ""});
  for (size_t size = 0; size < 8; ++size) {
    const Descriptor socket = stranger();
    shout(socket, std::span(hello).first(size * hello.size() / 8));
    expect_dropped(socket);
  }
  expect_running();
}

TEST_F(Strangers, InACrowdDoNotKeepMembersOut) {
  std::vector<Descriptor> crowd;
  for (int i = 0; i < 100; ++i) crowd.push_back(stranger());
  expect_running();
  for (const Descriptor& socket : crowd) expect_dropped(socket);
  EXPECT_EQ(server_.dropped(), 100);
}

TEST_F(Strangers, DoNotDisturbAMemberThatWaits) {
  Store waiting(joining()), other(joining());
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Descriptor socket = stranger();
    shout(socket, noise(seed, 500));
  }
  other.set("key", "value");
  EXPECT_EQ(waiting.get("key", Seconds{60}), "value");
}

TEST_F(Strangers, MembersThatSendGarbageAreDroppedToo) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Descriptor socket = stranger();
    Frame bytes = encode(HelloRequest{token_, ""});
    Frame garbage = noise(seed, 5000);
    garbage[3] = std::byte{static_cast<unsigned char>(seed)};  // also lengths that are allowed
    bytes.insert(bytes.end(), garbage.begin(), garbage.end());
    shout(socket, bytes);
    if (frame_length(garbage) > kMostFrameBytes) {
      Frame welcome(kFrameHeaderBytes + 5);
      read_all(socket, welcome, Seconds{60});
      expect_dropped(socket);
    }
  }
  expect_running();
}

TEST(StoreServer, UnderstandsAMemberThatSendsByteByByte) {
  const std::string token = random_token();
  const StoreServer server({.endpoint = {"127.0.0.1", 0}, .token = token});
  const Endpoint endpoint{"127.0.0.1", server.port()};
  const Descriptor socket = connect_to(endpoint, Seconds{10});
  for (const StoreRequest& request :
       {StoreRequest(HelloRequest{token, ""}), StoreRequest(SetRequest{"slow", "but well"})}) {
    for (const std::byte byte : encode(request)) write_all(socket, {&byte, 1}, Seconds{60});
    Frame reply(kFrameHeaderBytes + 5);
    read_all(socket, reply, Seconds{60});
  }
  EXPECT_EQ(Store({endpoint, token, "", Seconds{10}}).get("slow", Seconds{60}), "but well");
}

// Its answers pile up unread: beyond a limit it is dropped, and nobody else waits for it.
TEST_F(Strangers, AMemberThatNeverReadsItsAnswersIsDropped) {
  Store writer(joining());
  writer.set("large", std::string(8 << 20, 'x'));
  const Descriptor socket = stranger();
  write_all(socket, encode(HelloRequest{token_, ""}), Seconds{60});
  for (int i = 0; i < 20; ++i) shout(socket, encode(GetRequest{{"large"}, 0}));
  EXPECT_EQ(writer.get("large", Seconds{60}).size(), size_t{8} << 20);
  EXPECT_TRUE(wait_until([&] {
    expect_running();
    return server_.dropped() > 0;
  }));
}

TEST(StoreServer, NeedsALongToken) {
  EXPECT_THROW(StoreServer({.endpoint = {"127.0.0.1", 0}, .token = "short"}), Error);
}

}  // namespace
}  // namespace lockstep
