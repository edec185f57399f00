#include "base/printable.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace lockstep {
namespace {

TEST(Printable, KeepsTextAndReplacesOtherBytes) {
  EXPECT_EQ(printable("tab\tand \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80"),
            "tab\tand \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80");
  EXPECT_EQ(printable(std::string("\x1b[31m\0\x7f\xff", 8)), "?[31m???");
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // past the last character
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "??31m");                      // a control sequence in one character
  EXPECT_EQ(printable("\xe2\x82"), "??");  // cut
}

TEST(Printable, AFailureWithFilesSaysThePathAndTheReason) {
  namespace fs = std::filesystem;
  const auto gone = std::make_error_code(std::errc::no_such_file_or_directory);
  EXPECT_EQ(message_of(fs::filesystem_error("cannot make directories", "sweep/runs", gone)),
            "sweep/runs: No such file or directory");
  EXPECT_EQ(message_of(fs::filesystem_error("cannot make absolute path", gone)),
            "working directory: No such file or directory");
}

}  // namespace
}  // namespace lockstep
