// The store's protocol under random sessions: whole requests, damaged ones, pieces and garbage, by
// strangers and by members, while one member's values must stay as it set them. The seeds are
// fixed, so a session that fails does so again.
#include <gtest/gtest.h>
#include <poll.h>

#include "base/error.h"
#include "base/random.h"
#include "base/random_token.h"
#include "comm/store.h"
#include "comm/store_server.h"

namespace lockstep {
namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : stream_(seed, 0) {}
  uint64_t below(uint64_t limit) { return stream_.bits(next_++) % limit; }

 private:
  RandomStream stream_;
  uint64_t next_ = 0;
};

std::string random_text(Dice& dice, uint64_t most) {
  std::string text(dice.below(most + 1), '\0');
  for (char& c : text) c = static_cast<char>(dice.below(256));
  return text;
}

// Keys of their own: what a fuzzing member sets must not be the honest one's.
Frame random_request(Dice& dice, const std::string& token) {
  switch (dice.below(4)) {
    case 0:
      return encode(
          HelloRequest{dice.below(2) == 0 ? token : random_text(dice, 40), random_text(dice, 3)});
    case 1:
      return encode(SetRequest{"fuzz/" + random_text(dice, 20), random_text(dice, 2000)});
    case 2:
      return encode(GetRequest{{"fuzz/" + random_text(dice, 2), "honest"},
                               static_cast<uint32_t>(dice.below(3))});
    default: {
      Frame noise(dice.below(300));
      for (std::byte& byte : noise) byte = static_cast<std::byte>(dice.below(256));
      return noise;
    }
  }
}

void damage(Frame& frame, Dice& dice) {
  if (frame.empty()) return;
  if (dice.below(2) == 0) {
    frame[dice.below(frame.size())] = static_cast<std::byte>(dice.below(256));
  } else {
    frame.resize(dice.below(frame.size()) + 1);
  }
}

// Drops what the server says, as long as it says something.
void read_away(const Descriptor& socket) {
  pollfd entry{socket.number(), POLLIN, 0};
  std::byte rest[1];
  while (poll(&entry, 1, 0) > 0) read_all(socket, rest, Seconds{10});
}

void session(uint64_t seed, const Endpoint& endpoint, const std::string& token) {
  Dice dice(seed);
  const Descriptor socket = connect_to(endpoint, Seconds{60});
  try {
    if (dice.below(3) > 0) write_all(socket, encode(HelloRequest{token, ""}), Seconds{60});
    for (uint64_t left = dice.below(12); left > 0; --left) {
      Frame frame = random_request(dice, token);
      if (dice.below(4) == 0) damage(frame, dice);
      const size_t cut = dice.below(frame.size() + 1);
      write_all(socket, std::span(frame).first(cut), Seconds{60});
      write_all(socket, std::span(frame).subspan(cut), Seconds{60});
      read_away(socket);
    }
  } catch (const Error&) {  // the server hung up on it, as it should
  }
}

TEST(StoreFuzz, RandomSessionsDoNotDisturbTheRun) {
  const std::string token = random_token();
  const StoreServer server({.endpoint = {"127.0.0.1", 0},
                            .token = token,
                            .stranger_timeout = Seconds{5},
                            .most_strangers = 8});
  const Endpoint endpoint = {"127.0.0.1", server.port()};
  Store honest({endpoint, token, "0", Seconds{60}});
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    session(seed, endpoint, token);
    if (seed % 50 != 0) continue;
    const std::string value = "value " + std::to_string(seed);
    honest.set("honest", value);
    ASSERT_EQ(honest.get("honest", Seconds{60}), value);
  }
  EXPECT_TRUE(honest.missing({"gone/0"}, Seconds{0}) == std::vector<std::string>{"gone/0"});
}

}  // namespace
}  // namespace lockstep
