// Ranks as processes, one of which is killed or stopped: the others end with an Error that names
// it, and nothing stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>

#include "base/error.h"
#include "comm/backends.h"
#include "comm/store.h"
#include "comm/store_server.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr int kRanks = 4;
constexpr int kVictim = 3;
constexpr Seconds kStall{4};

struct Failure {
  std::string backend;
  int signal;
};
void PrintTo(const Failure& failure, std::ostream* out) {
  *out << failure.backend << " signal " << failure.signal;
}

struct Child {
  pid_t process = 0;
  int output = -1;
};

void say(int output, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(output, text.data(), text.size());
}

// One byte once the communicator works, then rounds for ever, then the reason why they ended.
void be_rank(const std::string& backend, int rank, const StoreOptions& where, int output) {
  try {
    Store store(where);
    const Roster roster =
        meet(store, rank, kRanks, backend == "shm" ? "host0" : "host" + std::to_string(rank / 2),
             kStall);
    const auto comm =
        make_communicator(backend, roster, {.stall_timeout = kStall, .interface = "lo"}, store);
    const Memory memory = comm->allocate(4 * 100000);
    for (int64_t round = 0;; ++round) {
      comm->all_reduce(memory.floats());
      comm->barrier();
      if (round == 3) say(output, "+");
    }
  } catch (const std::exception& error) {
    say(output, error.what());
  }
}

Child start_rank(const std::string& backend, int rank, const StoreOptions& where) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    be_rank(backend, rank, where, ends[1]);
    _exit(1);
  }
  close(ends[1]);
  return {process, ends[0]};
}

std::string read_rest(int output) {
  std::string text;
  char part[512];
  for (ssize_t count; (count = read(output, part, sizeof part)) > 0;) text.append(part, count);
  return text;
}

class FailureTest : public ::testing::TestWithParam<Failure> {};

TEST_P(FailureTest, OfOneRankEndsTheOthersAndNamesIt) {
  const std::string token = random_token();
  StoreServer server({.endpoint = {"127.0.0.1", 0}, .token = token});
  std::vector<Child> children;
  for (int rank = 0; rank < kRanks; ++rank) {
    children.push_back(
        start_rank(GetParam().backend, rank,
                   {{"127.0.0.1", server.port()}, token, std::to_string(rank), Seconds{20}}));
  }
  for (const Child& child : children) {
    char started = 0;
    ASSERT_EQ(read(child.output, &started, 1), 1);
    ASSERT_EQ(started, '+') << read_rest(child.output);
  }
  kill(children[kVictim].process, GetParam().signal);
  const std::string victim = GetParam().backend == "shm" ? "rank 3 (host0)" : "rank 3 (host1)";
  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank == kVictim) continue;
    EXPECT_THAT(read_rest(children[rank].output), HasSubstr(victim)) << "rank " << rank;
    int status = 0;
    EXPECT_EQ(waitpid(children[rank].process, &status, 0), children[rank].process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    close(children[rank].output);
  }
  kill(children[kVictim].process, SIGKILL);
  waitpid(children[kVictim].process, nullptr, 0);
  close(children[kVictim].output);
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
    all.push_back({backend, SIGKILL});
    all.push_back({backend, SIGSTOP});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, FailureTest, ::testing::ValuesIn(failures()), [](const auto& test) {
  return test.param.backend + (test.param.signal == SIGKILL ? "_killed" : "_stopped");
});

}  // namespace
}  // namespace lockstep
