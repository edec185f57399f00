#include "launch/ssh.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockstep {
namespace {

using ::testing::Contains;

const Host kHost = {"node1.internal", "alias1"};

TEST(Ssh, NeverPromptsAndGivesUpOnDeadLinks) {
  const Command command = on_host(kHost, {"true"}, {.connect_timeout = 7});
  EXPECT_EQ(command.name, "node1.internal");
  EXPECT_EQ(command.argv.front(), "ssh");
  EXPECT_THAT(command.argv, Contains("BatchMode=yes"));
  EXPECT_THAT(command.argv, Contains("ConnectTimeout=7"));
  EXPECT_THAT(command.argv, Contains("ServerAliveInterval=10"));
}

TEST(Ssh, TheHostComesAfterAllOptionsAndTheCommandIsOneQuotedWord) {
  const Command command = on_host(kHost, {"echo", "a b", "$(x)"}, {});
  ASSERT_GE(command.argv.size(), 3u);
  EXPECT_EQ(command.argv[command.argv.size() - 3], "--");
  EXPECT_EQ(command.argv[command.argv.size() - 2], "alias1");
  EXPECT_EQ(command.argv.back(), "echo 'a b' '$(x)'");
}

TEST(Ssh, TheUsersOptionsComeFirstBecauseTheFirstCounts) {
  const Command command = on_host(kHost, {"true"}, {.more = {"ConnectTimeout=1"}});
  const auto users = std::ranges::find(command.argv, "ConnectTimeout=1");
  const auto ours = std::ranges::find(command.argv, "ConnectTimeout=20");
  EXPECT_LT(users, ours);
  EXPECT_NE(ours, command.argv.end());
}

TEST(Ssh, KnownErrorsComeWithARemedy) {
  EXPECT_THAT(with_remedy("Host key verification failed."),
              ::testing::StartsWith("Host key verification failed. ("));
  EXPECT_THAT(with_remedy("Host key verification failed."),
              ::testing::HasSubstr("StrictHostKeyChecking=accept-new"));
  EXPECT_THAT(with_remedy("me@a: Permission denied (publickey)."),
              ::testing::HasSubstr("IdentityFile"));
  const std::string directory = "mkdir: cannot create directory '/x': Permission denied";
  EXPECT_EQ(with_remedy(directory), directory);
}

}  // namespace
}  // namespace lockstep
