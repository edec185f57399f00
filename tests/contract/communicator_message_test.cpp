// Messages from rank to rank: by tag, in order, of any size, from anyone, and both ways at once.
#include <map>
#include <numeric>

#include "contract/communicator_fixture.h"

namespace lockstep {
namespace {

TEST_P(CommunicatorContract, MessagesOfOneTagKeepTheirOrder) {
  on_ranks(2, [](Communicator& comm) {
    for (float expected = 0; expected < 50; ++expected) {
      float value = expected;
      if (comm.rank() == 0) comm.send({&value, 1}, 1, 5);
      if (comm.rank() == 1) comm.recv({&value, 1}, 0, 5);
      EXPECT_EQ(value, expected);
    }
  });
}

TEST_P(CommunicatorContract, AMessageWaitsUntilItsTagIsReceived) {
  on_ranks(3, [](Communicator& comm) {
    float value = static_cast<float>(comm.rank());
    if (comm.rank() > 0) return comm.send({&value, 1}, 0, 40 + comm.rank());
    for (const int from : {2, 1}) {
      EXPECT_EQ(comm.recv_any({&value, 1}, 40 + from), from);
      EXPECT_EQ(value, static_cast<float>(from));
    }
  });
}

TEST_P(CommunicatorContract, SendsMessagesOfAnySize) {
  on_ranks(2, [](Communicator& comm) {
    for (const int64_t count : {0, 1, 3, 65535, 65536, 1000003}) {
      std::vector<float> data(count);
      if (comm.rank() == 0) {
        fill_whole(data, 5);
        comm.send(data, 1, 9);
      } else {
        comm.recv(data, 0, 9);
        std::vector<float> expected(count);
        fill_whole(expected, 5);
        EXPECT_TRUE(data == expected) << count;
      }
    }
  });
}

TEST_P(CommunicatorContract, ExchangeGoesBothWaysAtOnceRoundARing) {
  on_all_sizes([](Communicator& comm) {
    if (comm.size() == 1) return;
    const int right = (comm.rank() + 1) % comm.size();
    const int left = (comm.rank() + comm.size() - 1) % comm.size();
    for (const int64_t count : {1, 1000, 300007}) {
      std::vector<float> out(count), in(count);
      fill_whole(out, comm.rank());
      comm.exchange({out, right, in, left, 4});
      EXPECT_EQ(in[count - 1], whole(left, count - 1));
      EXPECT_EQ(in[count / 2], whole(left, count / 2));
    }
    // Unequal sizes, one of them nothing.
    std::vector<float> out(comm.rank() % 2 ? 0 : 100, 1.0f), in(left % 2 ? 0 : 100);
    comm.exchange({out, right, in, left, 4});
    EXPECT_EQ(std::accumulate(in.begin(), in.end(), 0.0f), static_cast<float>(in.size()));
  });
}

TEST_P(CommunicatorContract, ReceivingFromAnyoneNamesTheSenderAndKeepsEachSendersOrder) {
  on_all_sizes([](Communicator& comm) {
    constexpr int kEach = 20;
    if (comm.rank() != 0) {
      for (int i = 0; i < kEach; ++i) {
        const float values[2] = {static_cast<float>(comm.rank()), static_cast<float>(i)};
        comm.send(values, 0, 7);
        float answer = -1;
        comm.recv({&answer, 1}, 0, 8);
        EXPECT_EQ(answer, static_cast<float>(i));
      }
      return;
    }
    std::map<int, int> next;
    for (int count = 0; count < kEach * (comm.size() - 1); ++count) {
      float values[2] = {-1, -1};
      const int from = comm.recv_any(values, 7);
      EXPECT_EQ(values[0], static_cast<float>(from));
      EXPECT_EQ(values[1], static_cast<float>(next[from]++));
      comm.send({&values[1], 1}, from, 8);
    }
  });
}

TEST_P(CommunicatorContract, AServerTakesLargePushesInOrderOfArrival) {
  on_ranks(4, [](Communicator& comm) {
    constexpr int64_t kCount = 200000;
    std::vector<float> data(kCount);
    if (comm.rank() > 0) {
      fill_whole(data, comm.rank());
      const float header = static_cast<float>(kCount);
      comm.send({&header, 1}, 0, 1);
      comm.send(data, 0, 2);
      comm.recv(data, 0, 3);
      EXPECT_EQ(data[10], whole(1, 10) + whole(2, 10) + whole(3, 10));
      return;
    }
    std::vector<float> sum(kCount);
    for (int push = 0; push < 3; ++push) {
      float header = 0;
      const int from = comm.recv_any({&header, 1}, 1);
      EXPECT_EQ(header, static_cast<float>(kCount));
      comm.recv(data, from, 2);
      for (int64_t i = 0; i < kCount; ++i) sum[i] += data[i];
    }
    for (int to = 1; to < 4; ++to) comm.send(sum, to, 3);
  });
}

}  // namespace
}  // namespace lockstep
