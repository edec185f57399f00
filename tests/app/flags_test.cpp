#include "app/flags.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string refusal(const Flag& flag, const std::string& text) {
  try {
    flag.set(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Flags, ANumberIsStoredInEveryIntegerType) {
  int narrow = 3;
  int64_t wide = 4;
  std::optional<int> absent;
  number_flag({"n", "", &narrow}).set("7");
  number_flag({"n", "", &wide, {0, int64_t{1} << 50}}).set("1125899906842624");
  number_flag({"n", "", &absent}).set("0");
  EXPECT_EQ(narrow, 7);
  EXPECT_EQ(wide, int64_t{1} << 50);
  EXPECT_EQ(absent, 0);
}

TEST(Flags, ANumberOutsideItsRangeIsRefusedAndNotWritten) {
  int value = 5;
  const Flag at_least = number_flag({"iters", "", &value, {1}});
  EXPECT_THAT(refusal(at_least, "0"), HasSubstr("--iters must be a whole number of at least 1"));
  EXPECT_THAT(refusal(at_least, "2000000000"), HasSubstr("'2000000000'"));
  const Flag between = number_flag({"port", "", &value, {0, 65535}});
  for (const char* wrong : {"-1", "65536", "", "8x", "1.5"}) {
    EXPECT_THAT(refusal(between, wrong), HasSubstr("from 0 to 65535, not '" + std::string(wrong)));
  }
  EXPECT_EQ(value, 5);
}

TEST(Flags, HelpShowsTheInitialValueAsDefault) {
  int decided = 20, open = 0;
  std::optional<int> absent;
  std::string text = "results";
  double threshold = 0.02;
  EXPECT_EQ(number_flag({"n", "", &decided, {1}}).default_text, "20");
  EXPECT_EQ(number_flag({"n", "", &open, {1}}).default_text, "");
  EXPECT_EQ(number_flag({"n", "", &absent}).default_text, "");
  EXPECT_EQ(text_flag({"output", "DIR", "", &text}).default_text, "results");
  EXPECT_EQ(threshold_flag(&threshold).default_text, "2%");
}

TEST(Flags, ASwitchIsTurnedOnAndOff) {
  bool value = false;
  const Flag flag = switch_flag("json", "", &value);
  flag.set("true");
  EXPECT_TRUE(value);
  flag.set("false");
  EXPECT_FALSE(value);
}

TEST(Flags, AThresholdIsAFraction) {
  double value = 0;
  threshold_flag(&value).set("5%");
  EXPECT_DOUBLE_EQ(value, 0.05);
  EXPECT_THAT(refusal(threshold_flag(&value), "200%"), HasSubstr("--threshold"));
}

}  // namespace
}  // namespace lockstep
