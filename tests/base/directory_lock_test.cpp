// One at a time has a directory.
#include "base/directory_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

TEST(DirectoryLock, OneAtATimeHasIt) {
  const TemporaryDirectory directory;
  std::optional<DirectoryLock> first(directory.path().string());
  EXPECT_FALSE(first->is_elsewhere());
  EXPECT_TRUE(DirectoryLock(directory.path().string()).is_elsewhere());
  const DirectoryLock moved = std::move(*first);
  first.reset();
  EXPECT_TRUE(DirectoryLock(directory.path().string()).is_elsewhere());
}

TEST(DirectoryLock, AWaitingProcessGetsItWhenTheOtherExits) {
  const TemporaryDirectory directory;
  std::optional<DirectoryLock> first(directory.path().string());
  std::jthread leaves([&] { first.reset(); });
  EXPECT_FALSE(DirectoryLock(directory.path().string(), Seconds(60)).is_elsewhere());
}

TEST(DirectoryLock, LeavesNothingBehind) {
  const TemporaryDirectory directory;
  const DirectoryLock lock(directory.path().string());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(DirectoryLock, AMissingDirectoryIsNotLockedByAnother) {
  EXPECT_FALSE(DirectoryLock("/nowhere").is_elsewhere());
}

}  // namespace
}  // namespace lockstep
