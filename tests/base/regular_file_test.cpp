#include "base/regular_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "support/access_list.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RegularFile : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }
  static void expect_refused(const std::string& path, const FileRules& rules,
                             const std::string& why) {
    EXPECT_THAT([&] { read_regular_file(path, rules); }, ThrowsMessage<UsageError>(HasSubstr(why)))
        << path;
  }

  TemporaryDirectory directory_;
};

TEST_F(RegularFile, IsReadWhole) {
  const std::string text(200'000, 'x');
  std::ofstream(path("a")) << text;
  EXPECT_EQ(read_regular_file(path("a")), text);
  std::ofstream(path("empty")).flush();
  EXPECT_EQ(read_regular_file(path("empty")), "");
}

TEST_F(RegularFile, APipeADeviceAndADirectoryAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_refused(path("pipe"), {}, "it is not a regular file");
  expect_refused("/dev/zero", {}, "it is not a regular file");
  expect_refused("/dev/zero", {.pipes = true}, "it is not a regular file");
  expect_refused(path(""), {}, "it is a directory");
  expect_refused(path("none"), {}, "No such file or directory");
}

TEST_F(RegularFile, APipeIsReadUntilItsWriterEndsIt) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const std::jthread writer([&] { std::ofstream(path("pipe")) << std::string(200'000, 'x'); });
  EXPECT_EQ(read_regular_file(path("pipe"), {.pipes = true}), std::string(200'000, 'x'));
}

TEST_F(RegularFile, APipeThatNobodyWritesToIsNotWaitedForWithoutEnd) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_refused(path("pipe"), {.pipes = true, .for_a_writer = Seconds{0.01}},
                 "it is a pipe that nobody writes to");
}

TEST_F(RegularFile, ALinkIsRefusedWhereNoneIsFollowed) {
  std::ofstream(path("a")) << "text";
  std::filesystem::create_symlink(path("a"), path("link"));
  EXPECT_EQ(read_regular_file(path("link")), "text");
  expect_refused(path("link"), {.links = false}, "it is a link");
  EXPECT_EQ(read_regular_file(path("a"), {.links = false}), "text");
}

TEST_F(RegularFile, ALargerFileThanAllowedIsRefused) {
  std::ofstream(path("a")) << std::string(100'000, 'x');
  expect_refused(path("a"), {.most_bytes = 99'999}, "it is larger than 100.0 kB");
}

TEST_F(RegularFile, AFileThatOthersMayWriteIsRefusedWhereItMustBeTheUsersOwn) {
  namespace fs = std::filesystem;
  std::ofstream(path("a")) << "text";
  fs::permissions(path("a"), fs::perms(0644));
  EXPECT_EQ(read_regular_file(path("a"), {.own = true}), "text");
  fs::permissions(path("a"), fs::perms(0646));
  expect_refused(path("a"), {.own = true}, "a is not safe to read: every user may write it");
  EXPECT_EQ(read_regular_file(path("a")), "text");
}

TEST_F(RegularFile, AnotherUsersFileIsRefusedWhereItMustBeTheUsersOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to give a file away";
  std::ofstream(path("a")) << "text";
  ASSERT_EQ(chmod(path("a").c_str(), 0664), 0);
  EXPECT_EQ(read_regular_file(path("a"), {.own = true}), "text");  // group root is root's own
  ASSERT_EQ(chown(path("a").c_str(), 0, 65534), 0);
  expect_refused(path("a"), {.own = true}, "group 65534 may write it");
  ASSERT_EQ(chown(path("a").c_str(), 65534, 0), 0);
  expect_refused(path("a"), {.own = true}, "it belongs to user 65534");
}

TEST_F(RegularFile, AnAccessListThatLetsOthersWriteIsRefusedWhereTheFileMustBeTheUsersOwn) {
  std::ofstream(path("a")) << "text";
  if (!let_write(path("a"), 65534)) GTEST_SKIP() << "no access lists in this file system";
  expect_refused(path("a"), {.own = true}, "its access list lets others write");
}

}  // namespace
}  // namespace lockstep
