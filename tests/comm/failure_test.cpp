// Ranks as processes, one of which is killed or stopped: the others end with an Error that names
// it, and nothing stays behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>

#include "base/random_token.h"
#include "comm/store_server.h"
#include "support/rank_processes.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr int kRanks = 4;

// A death is noticed by itself, so the stall time-out stays out of the way there.
struct Kind {
  std::string name;
  int signal;
  Seconds stall_timeout;
};
const Kind kKilled = {"killed", SIGKILL, Seconds{600}};
const Kind kStopped = {"stopped", SIGSTOP, Seconds{5}};

struct Failure {
  std::string backend;
  Kind kind;
  int victim = 3;
};
void PrintTo(const Failure& failure, std::ostream* out) {
  *out << failure.backend << " " << failure.kind.name;
}

std::vector<std::string> hosts_of(const std::string& backend) {
  if (backend == "shm") return std::vector<std::string>(kRanks, "host0");
  return {"host0", "host0", "host1", "host1"};
}

class FailureTest : public ::testing::TestWithParam<Failure> {};

TEST_P(FailureTest, OfOneRankEndsTheOthersAndNamesIt) {
  const auto& [backend, kind, victim] = GetParam();
  const std::string token = random_token();
  const StoreServer server({.endpoint = {"127.0.0.1", 0}, .token = token});
  const std::vector<std::string> hosts = hosts_of(backend);
  RankProcesses ranks({.backend = backend,
                       .hosts = hosts,
                       .store = {"127.0.0.1", server.port()},
                       .token = token,
                       .stall_timeout = kind.stall_timeout,
                       .interface = "lo"});
  ASSERT_EQ(ranks.wait_until_working(), "");
  ranks.signal(victim, kind.signal);
  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank == victim) continue;
    const RankProcesses::End end = ranks.end_of(rank);
    EXPECT_THAT(end.words, HasSubstr(fmt::format("rank {} ({})", victim, hosts[victim])))
        << "rank " << rank;
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 1) << "rank " << rank;
  }
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    EXPECT_EQ(entry.path().string().find("lockstep"), std::string::npos) << entry.path();
  }
}

std::vector<Failure> failures() {
  std::vector<std::string> backends = {"shm"};
#ifndef __SANITIZE_THREAD__  // Gloo's threads in forked children are beyond the sanitizer
  backends.insert(backends.end(), {"gloo", "hierarchical"});
#endif
  std::vector<Failure> all;
  for (const std::string& backend : backends) {
    all.push_back({backend, kKilled});
    all.push_back({backend, kStopped});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, FailureTest, ::testing::ValuesIn(failures()), [](const auto& test) {
  return test.param.backend + "_" + test.param.kind.name;
});

}  // namespace
}  // namespace lockstep
