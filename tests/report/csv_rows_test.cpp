// CSV files as spreadsheets, scripts and people write them.
#include "report/results/csv_rows.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::StrEq;

std::string refusal_of(const std::string& text) {
  try {
    read_csv(text, "t.csv");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CsvRows, ColumnsAreFoundInAnyOrderAndCase) {
  const auto rows = read_csv("Model, GPUs\nvgg16 ,8\n", "t.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].get({"devices", "gpus"}), "8");
  EXPECT_EQ(rows[0].get({"model"}), "vgg16");
  EXPECT_EQ(rows[0].get({"cluster"}), "");
}

TEST(CsvRows, ReadsWhatSpreadsheetsWrite) {
  const auto rows = read_csv(
      "\xEF\xBB\xBFmodel,notes\r\n\r\n,\r\nvgg16,\"a, \"\"b\"\"\nand c\"\r\n# no row\r\nlenet,d",
      "t.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].line, 4);
  EXPECT_EQ(rows[0].get({"model"}), "vgg16");
  EXPECT_EQ(rows[0].get({"notes"}), "a, \"b\"\nand c");
  EXPECT_EQ(rows[1].line, 7) << "lines inside quotes count";
  EXPECT_EQ(rows[1].get({"notes"}), "d");
}

TEST(CsvRows, ACellCommandsNoTerminal) {
  const auto rows = read_csv("model,notes\nlenet,\x1b[2Jred\n", "t.csv");
  EXPECT_EQ(rows.at(0).get({"notes"}), "?[2Jred");
}

TEST(CsvRows, ARowMayLackCellsOrEndWithEmptyOnes) {
  const auto rows = read_csv("a,b\n1\n1,2,,\n1,2,3\n", "t.csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].get({"b"}), "");
  EXPECT_EQ(rows[0].problem, "");
  EXPECT_EQ(rows[1].get({"b"}), "2");
  EXPECT_EQ(rows[1].problem, "");
  EXPECT_EQ(rows[2].problem, "3 cells, but the header has 2");
}

TEST(CsvRows, WhatCannotBeReadIsNamedWithItsLine) {
  EXPECT_THAT(refusal_of("a,b\n1,\"2\n3,4\n"), StrEq("t.csv:2: a quote has no end"));
  EXPECT_THAT(refusal_of("a,b,A\n"), StrEq("t.csv:1: two columns are named a"));
  EXPECT_THAT(refusal_of("a;b\n1;2\n"), StrEq("t.csv:1: columns must be separated by commas"));
  EXPECT_THAT(refusal_of("a,,\n1,2,3\n"), StrEq("")) << "columns without names";
}

}  // namespace
}  // namespace lockstep
