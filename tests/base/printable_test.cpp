#include "base/printable.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep
