#include "base/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <ostream>

namespace lockstep {
namespace {

// What each write brought: a pipe of packets keeps them apart.
class LineWriterTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe2(ends_.data(), O_DIRECT | O_NONBLOCK), 0); }
  void TearDown() override {
    for (const int end : ends_) close(end);
  }
  std::string next_write() {
    std::array<char, 4096> bytes;
    const ssize_t count = read(ends_[0], bytes.data(), bytes.size());
    return count < 0 ? "nothing" : std::string(bytes.data(), static_cast<size_t>(count));
  }

  std::array<int, 2> ends_ = {};
};

TEST_F(LineWriterTest, ALineInPiecesIsOneWrite) {
  LineWriter buffer(ends_[1]);
  std::ostream out(&buffer);
  out << "note: " << 12 << " images";
  EXPECT_EQ(next_write(), "nothing");
  out << '\n';
  EXPECT_EQ(next_write(), "note: 12 images\n");
}

TEST_F(LineWriterTest, APromptComesWithAFlushAndTheRestAtTheEnd) {
  {
    LineWriter buffer(ends_[1]);
    std::ostream out(&buffer);
    out << "\r3 of 10" << std::flush;
    EXPECT_EQ(next_write(), "\r3 of 10");
    out << "no newline";
  }
  EXPECT_EQ(next_write(), "no newline");
}

TEST_F(LineWriterTest, HeldLinesAreWrittenWhenSomebodyAsksForThem) {
  LineWriter buffer(ends_[1]);
  std::ostream out(&buffer);
  buffer.hold();
  for (int i = 0; i < 100'000; ++i) out << "line " << i << "\n";
  EXPECT_EQ(next_write(), "nothing");
  out << "the last\n" << std::flush;
  fcntl(ends_[1], F_SETPIPE_SZ, 1 << 20);
  buffer.flush_held();
  std::string all;
  for (std::string next = next_write(); next != "nothing"; next = next_write()) all += next;
  EXPECT_TRUE(all.ends_with("line 99999\nthe last\n"));
  EXPECT_TRUE(all.starts_with("line ")) << "a line is not cut";
  EXPECT_LE(all.size(), 1u << 16);
}

}  // namespace
}  // namespace lockstep
