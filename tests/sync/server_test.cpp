// Servers by themselves: what asynchronous workers leave there, and what strangers may not ask.
#include "sync/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "comm/gather.h"
#include "comm/local.h"
#include "support/ranks.h"
#include "sync/request_clock.h"
#include "sync/server_link.h"
#include "sync/server_plan.h"
#include "sync/server_protocol.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kFloats[] = {5, 300, 40};
constexpr ParameterId kOrder[] = {2, 1, 0};

// Pushes whole numbers, so that sums are exact in any order: value -= step + worker + 1 each time.
// Whether settled or finished, all values are `expected`.
void expect_after(int steps, const Peers& peers, const SyncOptions& options, float expected) {
  ParameterArena arena(kFloats, kOrder);
  const auto strategy = find_strategy("parameter_server")
                            .make({arena,
                                   {.name = "sgd", .weight_decay = 0},
                                   {{5, true}, {300, true}, {40, false}},
                                   [](ParameterId) {}},
                                  peers, options);
  strategy->start();
  for (int step = 0; step < steps; ++step) {
    strategy->begin_step(1);
    for (const ParameterId id : kOrder) {
      for (float& g : arena.gradient(id)) {
        g = static_cast<float>(step + peers.everyone->rank() + 1);
      }
      strategy->gradient_ready(id);
    }
    strategy->finish_step();
  }
  const auto of_parameters = [&](std::span<const float> row) {  // without what fills the arena up
    std::vector<float> values;
    for (ParameterId id = 0; id < 3; ++id) {
      const auto part = row.subspan(arena.offset(id), arena.values(id).size());
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  };
  strategy->drain();
  EXPECT_THAT(of_parameters(strategy->carried().values), Each(expected));
  strategy->finish();
  EXPECT_THAT(of_parameters(arena.all_values()), Each(expected));
}

class AsynchronousServers : public ::testing::TestWithParam<std::string> {};

TEST_P(AsynchronousServers, HaveAppliedEveryGradientExactlyOnceAtTheEnd) {
  for (const int servers : {1, 2}) {
    for (const bool staged : {false, true}) {
      constexpr int kWorkers = 3;
      const auto workers = make_local(kWorkers);
      float expected = 0;
      for (int worker = 0; worker < kWorkers; ++worker) {
        for (int step = 0; step < 4 + worker; ++step) {
          expected -= static_cast<float>(step + worker + 1);
        }
      }
      run_ranks(GetParam(), kWorkers + servers, [&](Communicator& everyone) {
        if (everyone.rank() >= kWorkers) return run_server(everyone);
        const SyncOptions options{
            .staged = staged, .synchronous = false, .sharded = true, .sharded_bytes = 1000};
        // Workers need not do equally much.
        expect_after(4 + everyone.rank(), {workers[everyone.rank()].get(), &everyone}, options,
                     expected);
      });
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, AsynchronousServers, ::testing::Values("local", "shm"));

// What a server says when worker 0 sends this after the plan.
std::string answer_to(const Request& request) {
  const ServerPlan plan{
      .workers = 1,
      .optimizer = {},
      .slices = {{.name = "a", .floats = 1, .parts = {{0, 1, true}}},
                 {.name = "b", .server = 1, .floats = 1, .parts = {{0, 1, true}}}}};
  return find_rank_runner("local").run(2, {}, [&](Communicator& everyone) {
    if (everyone.rank() == 1) return run_server(everyone);
    broadcast_text(everyone, text_of(plan), 0);
    const float value = 1;
    everyone.send({&value, 1}, 1, kDataTag);
    everyone.send_bytes(bytes_of(request), 1, kRequestTag);
  })[1];
}

TEST(Server, RefusesASliceThatItDoesNotKeep) {
  EXPECT_THAT(answer_to({.push = 1}), HasSubstr("rank 0 named slice 1"));
  EXPECT_THAT(answer_to({.pull = 2}), HasSubstr("rank 0 named slice 2"));
  EXPECT_THAT(answer_to({.push = -7}), HasSubstr("rank 0 named slice -7"));
  EXPECT_THAT(answer_to({.kind = RequestKind::Recall, .pull = kNoSlice}),
              HasSubstr("rank 0 named slice -1"));
}

// What a server says to a plan for 1 worker whose text has something in place of another.
std::string answer_to_plan(const std::string& usual, const std::string& other) {
  const ServerPlan plan{
      .workers = 1,
      .optimizer = {},
      .slices = {{.name = "a", .floats = 1, .parts = {{0, 1, true}}},
                 {.name = "b", .server = 1, .floats = 1, .parts = {{0, 1, true}}}}};
  std::string text = text_of(plan);
  for (size_t at = 0; (at = text.find(usual, at)) != std::string::npos; at += other.size()) {
    text.replace(at, usual.size(), other);
  }
  return find_rank_runner("local").run(2, {}, [&](Communicator& everyone) {
    if (everyone.rank() == 1) return run_server(everyone);
    broadcast_text(everyone, text, 0);
  })[1];
}

TEST(Server, RefusesAPlanOfAnotherRunOrBeyondAllMemory) {
  EXPECT_THAT(answer_to_plan(R"("workers":1)", R"("workers":2147483647)"),
              HasSubstr("a plan for 2,147,483,647 workers"));
  EXPECT_THAT(answer_to_plan(R"("workers":1)", R"("workers":2)"),
              HasSubstr("a plan for 2 workers"));
  EXPECT_THAT(answer_to_plan(R"("floats":1)", R"("floats":9223372036854775807)"),
              HasSubstr("a plan of more than"));
  EXPECT_THAT(answer_to_plan(R"("floats":1)", R"("floats":200000000000)"),
              HasSubstr("a plan of more than"));
}

TEST(ServerLink, RefusesAReasonThatNoServerGives) {
  const auto errors = find_rank_runner("local").run(2, {}, [](Communicator& everyone) {
    if (everyone.rank() == 0) {
      ServerLink link(everyone, 1, {});
      link.visit({.others_first = true});
      return;
    }
    Request request;
    everyone.recv_bytes(bytes_into(request), 0, kRequestTag);
    everyone.send_bytes(bytes_of(ServerAnswer{.failure_bytes = UINT32_MAX}), 0, kDataTag);
  });
  EXPECT_THAT(errors[0], HasSubstr("rank 1 sent a reason of 4294967295 bytes"));
}

TEST(Server, RefusesARequestThatItDoesNotKnow) {
  EXPECT_THAT(answer_to({.kind = static_cast<RequestKind>(77)}), HasSubstr("rank 0 sent"));
}

// What worker 0 hears when it is done and asks until all are, but worker 1 vanished after its last
// step. Nothing else would end this: every question gets its answer at once.
std::string end_without_worker_1(const ServerSurroundings& surroundings) {
  const ServerPlan plan{.workers = 2,
                        .optimizer = {},
                        .slices = {{.name = "a", .floats = 1, .parts = {{0, 1, true}}}}};
  const auto errors = find_rank_runner("local").run(3, {}, [&](Communicator& everyone) {
    if (everyone.rank() == 2) return run_server(everyone, surroundings);
    ServerLink link(everyone, 2, plan.slices);
    const float value = 1;
    link.introduce(plan, {&value, 1}, {});
    if (everyone.rank() == 0) link.visit({.others_first = true});
  });
  EXPECT_EQ(errors[0], errors[2]) << "the server ends with the reason that it gave";
  return errors[0];
}

TEST(Server, NamesADeadWorkerToThoseThatWaitForItsEnd) {
  EXPECT_EQ(end_without_worker_1({.gone = [] { return std::vector{1}; },
                                  .who = [](int rank) { return fmt::format("w{}", rank); }}),
            "w1 is gone");
}

TEST(Server, NamesASilentWorkerToThoseThatWaitForItsEnd) {
  EXPECT_EQ(end_without_worker_1({.stall_timeout = Seconds{0.2}}), "rank 1 does not answer");
}

TEST(Server, NeedsNoStoreToNoticeASilentWorker) {
  const auto lost = []() -> std::vector<int> { throw Error("lost the store"); };
  EXPECT_EQ(end_without_worker_1({.stall_timeout = Seconds{0.2}, .gone = lost}),
            "rank 1 does not answer");
}

// A server with one slice. One thread speaks for all of its workers, and so decides the order.
class ServedByHand {
 public:
  explicit ServedByHand(int workers) : workers_(workers), ranks_(make_local(workers + 1)) {
    server_ = std::jthread([this] { EXPECT_THROW(run_server(*ranks_.back()), Error); });
    std::vector<std::jthread> introduced;
    const std::string plan =
        text_of({.workers = workers,
                 .optimizer = {},
                 .slices = {{.name = "a", .floats = 1, .parts = {{0, 1, true}}}}});
    for (int rank = 0; rank < workers; ++rank) {
      introduced.emplace_back([this, rank, plan] { broadcast_text(*ranks_[rank], plan, 0); });
    }
    introduced.clear();
    send_value(0);
  }
  ~ServedByHand() {
    for (int rank = 0; rank < workers_; ++rank) send({.kind = RequestKind::Failed}, rank);
  }

  void push(int worker) {
    send({.push = 0}, worker);
    send_value(worker);
  }
  void ask(int worker, Seconds ago = {}) {
    send({.pull = 0, .sent_seconds = (clock_seconds() - ago).count()}, worker);
  }
  ServerAnswer answer(int worker) {
    float value = 0;
    ServerAnswer answer;
    ranks_[worker]->recv({&value, 1}, workers_, kDataTag);
    ranks_[worker]->recv_bytes(bytes_into(answer), workers_, kDataTag);
    return answer;
  }

 private:
  void send(const Request& request, int worker) {
    ranks_[worker]->send_bytes(bytes_of(request), workers_, kRequestTag);
  }
  void send_value(int worker) {
    const float value = 1;
    ranks_[worker]->send({&value, 1}, workers_, kDataTag);
  }

  int workers_;
  std::vector<std::unique_ptr<Communicator>> ranks_;
  std::jthread server_;  // last: it uses the rest
};

TEST(Server, TellsAHeldPullHowLongItWaitedForTheWorkerThatHadNotPushed) {
  ServedByHand server(2);
  server.push(0);
  server.ask(0);
  server.push(1);
  EXPECT_GT(server.answer(0).waited_seconds, 0);
  for (const int worker : {1, 0}) {  // the update is made
    server.ask(worker);
    EXPECT_EQ(server.answer(worker).waited_seconds, 0) << worker;
  }
}

TEST(Server, AnswersOneWorkerAfterTheOtherAndTellsHowLongEachWasQueued) {
  ServedByHand server(3);
  for (const int worker : {0, 1}) {
    server.push(worker);
    server.ask(worker);
  }
  server.push(2);
  const double first = server.answer(0).queued_seconds, second = server.answer(1).queued_seconds;
  EXPECT_GT(first, 0) << "of the update";
  EXPECT_GT(second, first);
}

// The worker's clock says that the request is older than the others were.
TEST(Server, CountsTheTimeInWhichItDidNotReadARequest) {
  ServedByHand server(1);
  server.ask(0);
  EXPECT_LT(server.answer(0).queued_seconds, 50);
  server.ask(0, Seconds{100});
  const ServerAnswer unread = server.answer(0);
  EXPECT_GT(unread.queued_seconds, 50);
  EXPECT_EQ(unread.waited_seconds, 0);
  server.push(0);
  server.ask(0, Seconds{100});
  EXPECT_LT(server.answer(0).queued_seconds, 50) << "it was behind the worker's own gradient";
}

TEST(Server, RefusesWorkersThatDoNotTrainTheSame) {
  const auto errors = find_rank_runner("local").run(3, {}, [&](Communicator& everyone) {
    if (everyone.rank() == 2) return run_server(everyone);
    const auto workers = make_local(2);
    ParameterArena arena(kFloats, kOrder);
    find_strategy("parameter_server")
        .make({arena,
               {.name = everyone.rank() == 0 ? "sgd" : "adam"},
               {{5, true}, {300, true}, {40, false}},
               [](ParameterId) {}},
              {workers[everyone.rank()].get(), &everyone}, {})
        ->start();
  });
  EXPECT_THAT(errors[1], HasSubstr("rank 1 and rank 0 train with different"));
}

}  // namespace
}  // namespace lockstep
