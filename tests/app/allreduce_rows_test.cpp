#include "app/commands/allreduce_rows.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

AllReduceRow row() {
  return {.what = "",
          .contender = "shm",
          .ranks = 4,
          .bytes = 4'000'000,
          .messages = 1,
          .seconds = {0.004, 0.001, 0.002, 0.002, 0.002},
          .wrong = 0};
}

TEST(AllReduceRows, GiveBandwidthsOfTheMedian) {
  const std::string line = all_reduce_line(row());
  for (const char* number : {"4000000", "1000000", "2000.0", "3600.0", "2.00", "3.00"}) {
    EXPECT_THAT(line, HasSubstr(number));
  }
}

TEST(AllReduceRows, SayWhenNothingWasChecked) {
  AllReduceRow unchecked = row();
  unchecked.wrong.reset();
  EXPECT_THAT(all_reduce_line(unchecked), ::testing::EndsWith(" -\n"));
  EXPECT_THAT(all_reduce_footer({unchecked}), HasSubstr("not checked"));
  EXPECT_TRUE(all_reduce_json(unchecked)["wrong"].is_null());
}

TEST(AllReduceRows, EveryContenderHasAMeanOfItsOwn) {
  AllReduceRow quick = row(), slow = row();
  quick.seconds = {0.001};  // 6 GB/s; the others 3
  slow.contender = "gloo";
  const std::string text = all_reduce_footer({quick, slow, row(), slow});
  EXPECT_EQ(text, "mean busbw of shm: 4.50 GB/s\nmean busbw of gloo: 3.00 GB/s\nwrong values: 0\n");
}

TEST(AllReduceRows, CountWrongNumbersOfAllRows) {
  AllReduceRow wrong = row();
  wrong.wrong = 3;
  EXPECT_EQ(wrong_numbers({wrong, row(), wrong}), 6);
}

TEST(AllReduceRows, KeepEverySampleInJson) {
  const nlohmann::json json = all_reduce_json(row());
  EXPECT_EQ(json["seconds"].size(), 5u);
  EXPECT_DOUBLE_EQ(json["busbw_bytes_per_second"], 3e9);
  EXPECT_DOUBLE_EQ(json["p50_seconds"], 0.002);
}

TEST(AllReduceRows, TheWinnerOfASizeHasItsLead) {
  const std::vector<SizeWinner> winners = {
      {.bytes = 1024, .fastest = "tree", .second = "ring", .lead = 1.5}};
  EXPECT_THAT(winners_table(winners), ::testing::ContainsRegex("1024 +tree +1.50x +ring\n"));
  EXPECT_EQ(winners_json(winners)[0]["lead"], 1.5);
  EXPECT_EQ(winners_json(winners)[0]["fastest"], "tree");
}

}  // namespace
}  // namespace lockstep
