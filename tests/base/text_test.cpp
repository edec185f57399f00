#include "base/text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Text, NumbersMustFillTheWholeText) {
  EXPECT_EQ(whole_number("42"), 42);
  EXPECT_EQ(whole_number("-7"), -7);
  EXPECT_FALSE(whole_number("42x"));
  EXPECT_FALSE(whole_number("4.5"));
  EXPECT_FALSE(whole_number(""));
  EXPECT_DOUBLE_EQ(finite_number("4e-5").value(), 4e-5);
  EXPECT_FALSE(finite_number("inf"));
  EXPECT_FALSE(finite_number("nan"));
  EXPECT_FALSE(finite_number("1 "));
}

TEST(Text, SplittingKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(Text, TheClosestNameIsAFewEditsAway) {
  const std::vector<std::string> names = {"--batch-size", "--num-batches", "--seed"};
  EXPECT_EQ(closest("--bacth-size", names), "--batch-size");
  EXPECT_EQ(closest("--sed", names), "--seed");
  EXPECT_EQ(closest("--completely-different-thing", names), "");
}

TEST(Text, SizesAndTimesReadWell) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(3'210'000'000), "3.2 GB");
  EXPECT_EQ(bytes_text(999'960), "1.0 MB");
  EXPECT_EQ(duration_text(65), "1:05");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(thousands_text(25559081), "25,559,081");
  EXPECT_EQ(thousands_text(-1000), "-1,000");
  EXPECT_EQ(thousands_text(999), "999");
  EXPECT_EQ(count_text(1, "file"), "1 file");
  EXPECT_EQ(count_text(2000, "file"), "2,000 files");
}

TEST(Listed, JoinsTheLastTwoWordsByAnd) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(listed(Words{}), "");
  EXPECT_EQ(listed(Words{"a"}), "a");
  EXPECT_EQ(listed(Words{"a", "b"}), "a and b");
  EXPECT_EQ(listed(Words{"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace lockstep
