// What the scripts accept and refuse, run here by sh as they are on a host.
#include "launch/remote_scripts.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "process/ask.h"
#include "support/access_list.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kProgram = "lockstep-0123-4";
constexpr const char* kStaging =  // as deploy() names it
    "lockstep-0123456789abcdef-4.0123456789abcdef0123456789abcdef-0";
constexpr uid_t kNobody = 65534;

// A directory that holds a program, which tells its arguments.
class RemoteDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(program().parent_path());
    std::ofstream(program()) << "#!/bin/sh\necho \"$@\"\n";
    set_mode(program(), 0755);
    for (const fs::path& each : {outer_, remote(), program().parent_path()}) set_mode(each, 0700);
  }

  fs::path remote() const { return outer_ / "remote"; }
  fs::path program() const { return remote() / kProgram / "lockstep"; }
  static void set_mode(const fs::path& path, mode_t mode) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0) << path;
  }
  CommandAnswer run(RemoteScript script, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {remote().string()};
    words.insert(words.end(), more.begin(), more.end());
    return ask(remote_command(script, words), Seconds{60});
  }
  CommandAnswer start() const { return run(RemoteScript::StartAgent, {kProgram}); }
  CommandAnswer install(const std::string& staging) const {
    const auto bytes = std::to_string(fs::file_size(remote() / staging / "lockstep"));
    return run(RemoteScript::Install, {staging, kProgram, bytes});
  }
  void add_of_two_days_ago(const std::string& name) const {
    const auto then = fs::file_time_type::clock::now() - std::chrono::hours(48);
    fs::create_directory(remote() / name);
    fs::last_write_time(remote() / name, then);
  }
  void expect_refused(const std::string& why) const {
    const CommandAnswer answer = start();
    EXPECT_FALSE(answer.well);
    EXPECT_THAT(answer.complaint, HasSubstr(why));
  }

  TemporaryDirectory temporary_;
  const fs::path outer_ = fs::path(temporary_.path()) / "outer";
};

TEST_F(RemoteDirectory, AProgramOfTheUsersOwnIsStarted) {
  const CommandAnswer answer = start();
  EXPECT_TRUE(answer.well) << answer.complaint;
  EXPECT_THAT(answer.lines, ElementsAre("agent"));
}

TEST_F(RemoteDirectory, APathThatOthersMayWriteIsRefused) {
  set_mode(remote(), 0777);
  expect_refused("is writable by everyone");
  set_mode(remote(), 0700);
  set_mode(outer_, 0777);
  expect_refused("is writable by everyone");
  EXPECT_FALSE(run(RemoteScript::LookForProgram, {kProgram, "1"}).well);
  EXPECT_FALSE(run(RemoteScript::Receive, {"staging", "lockstep", "0"}).well);
  EXPECT_FALSE(run(RemoteScript::Install, {"staging", kProgram, "1"}).well);
  EXPECT_FALSE(fs::exists(remote() / "staging"));
}

TEST_F(RemoteDirectory, AStagingDirectoryIsRemovedAtTheEndOfTheInput) {
  fs::create_directory(remote() / "staging");
  set_mode(remote() / "staging", 0700);
  std::vector<std::string> words = {
      "sh", "-c",
      "cd \"$1\"; shift; mkfifo input; \"$@\" <input & exec 3>input; echo bytes >&3; ls; "
      "exec 3>&-; wait; echo then; ls",
      "sh", remote().string()};
  const auto script = remote_command(RemoteScript::Remove, {remote().string(), "staging"});
  words.insert(words.end(), script.begin(), script.end());
  EXPECT_THAT(ask(words, Seconds{60}).lines,
              ElementsAre("input", kProgram, "staging", "then", "input", kProgram));
}

TEST_F(RemoteDirectory, AStickyPathIsAccepted) {
  set_mode(remote(), 01777);
  EXPECT_TRUE(start().well);
}

TEST_F(RemoteDirectory, ALinkInThePathIsFollowedBeforeItIsJudged) {
  fs::create_directory(outer_ / "open");
  fs::rename(remote(), outer_ / "open/remote");
  fs::create_directory_symlink(outer_ / "open/remote", remote());
  EXPECT_TRUE(start().well);
  set_mode(outer_ / "open", 0777);
  expect_refused("open is writable by everyone");
}

TEST_F(RemoteDirectory, AProgramThatOthersMayWriteIsRefused) {
  set_mode(program(), 0757);
  expect_refused("not owned by you alone");
  set_mode(program(), 0755);
  set_mode(program().parent_path(), 0770);
  expect_refused("not owned by you alone");
}

TEST_F(RemoteDirectory, LinksInsteadOfProgramAndDirectoryAreRefused) {
  fs::rename(program(), remote() / "elsewhere");
  fs::create_symlink(remote() / "elsewhere", program());
  expect_refused("not owned by you alone");
  fs::remove(program());
  fs::rename(remote() / "elsewhere", program());
  fs::rename(remote() / kProgram, remote() / "other");
  fs::create_directory_symlink(remote() / "other", remote() / kProgram);
  expect_refused("not owned by you alone");
}

TEST_F(RemoteDirectory, WhatBelongsToOthersIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(program().c_str(), kNobody, kNobody), 0);
  expect_refused("not owned by you alone");
  ASSERT_EQ(chown(program().c_str(), 0, 0), 0);
  ASSERT_EQ(chown(remote().c_str(), kNobody, kNobody), 0);
  expect_refused("remote belongs to user 65534");
  ASSERT_EQ(chown(remote().c_str(), 0, 0), 0);
  set_mode(remote(), 01777);
  fs::create_directory(remote() / "staging");
  ASSERT_EQ(chown((remote() / "staging").c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(run(RemoteScript::Receive, {"staging", "lockstep", "0"}).complaint,
              HasSubstr("is not yours alone"));
  EXPECT_TRUE(fs::is_empty(remote() / "staging"));
}

TEST_F(RemoteDirectory, AGroupThatMayWriteIsNamed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(remote().c_str(), 0, kNobody), 0);
  set_mode(remote(), 0770);
  expect_refused("remote is writable by group 65534");
}

// Where the group is the user's own, its bits are nevertheless the mask of the list.
TEST_F(RemoteDirectory, AnAccessListThatLetsOthersWriteIsRefused) {
  if (!let_write(remote(), kNobody)) GTEST_SKIP() << "no access lists in this file system";
  expect_refused("remote has an access list that lets others write");
}

TEST_F(RemoteDirectory, AnEmptyFileIsReceivedAndAShortOneRemovesTheStagingDirectory) {
  EXPECT_TRUE(run(RemoteScript::Receive, {"staging", "empty", "0"}).well);
  EXPECT_TRUE(fs::exists(remote() / "staging/empty"));
  EXPECT_FALSE(run(RemoteScript::Receive, {"staging", "short", "1"}).well);
  EXPECT_FALSE(fs::exists(remote() / "staging"));
}

TEST_F(RemoteDirectory, AnAbsentDirectoryHoldsNoProgramAndIsNoFailure) {
  fs::remove_all(remote());
  const CommandAnswer answer = run(RemoteScript::LookForProgram, {kProgram, "1"});
  EXPECT_TRUE(answer.well) << answer.complaint;
  EXPECT_THAT(answer.lines, IsEmpty());
}

TEST_F(RemoteDirectory, AStagingDirectoryBecomesTheProgramsAndOldOnesGo) {
  fs::rename(remote() / kProgram, remote() / "lockstep-0123-4.id-0");
  add_of_two_days_ago(kStaging);
  const CommandAnswer answer = install("lockstep-0123-4.id-0");
  EXPECT_TRUE(answer.well) << answer.complaint;
  EXPECT_TRUE(start().well);
  EXPECT_FALSE(fs::exists(remote() / kStaging));
  run(RemoteScript::Remove, {kProgram});
  EXPECT_FALSE(fs::exists(remote() / kProgram));
}

TEST_F(RemoteDirectory, OldDirectoriesThatTheUserMadeStay) {
  fs::rename(remote() / kProgram, remote() / "staging");
  const auto kept = {"lockstep-0.1.0-x86_64", "lockstep-v1.2", "lockstep-0123-4.dead-0"};
  for (const char* name : kept) add_of_two_days_ago(name);
  EXPECT_TRUE(install("staging").well);
  for (const char* name : kept) EXPECT_TRUE(fs::exists(remote() / name)) << name;
}

}  // namespace
}  // namespace lockstep
