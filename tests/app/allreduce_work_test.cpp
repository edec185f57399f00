#include "app/commands/allreduce_work.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "nn/parameters.h"
#include "nn/zoo.h"

namespace lockstep {
namespace {

RunConfig run_of(const std::string& model) {
  RunConfig run;
  run.model = model;
  return run;
}

TEST(ParseBytes, TakesUnitsOf1024) {
  EXPECT_EQ(parse_bytes("minbytes", "8"), 8);
  EXPECT_EQ(parse_bytes("minbytes", "64K"), 64 << 10);
  EXPECT_EQ(parse_bytes("minbytes", "64k"), 64 << 10);
  EXPECT_EQ(parse_bytes("minbytes", "128M"), 128 << 20);
  EXPECT_EQ(parse_bytes("minbytes", "2G"), int64_t{2} << 30);
}

TEST(ParseBytes, RefusesAnInvalidSize) {
  for (const char* text : {"", "0", "-8", "K", "8KB", "1.5M", "9999999999G", "M8"}) {
    EXPECT_THROW(parse_bytes("minbytes", text), UsageError) << text;
  }
}

TEST(SizesOfARange, GoFromTheLeastToTheMostByTheFactor) {
  std::vector<int64_t> bytes;
  for (const Reduction& reduction :
       reductions_of({.least_bytes = 1024, .most_bytes = 20000, .factor = 4})) {
    ASSERT_EQ(reduction.message_floats.size(), 1u);
    bytes.push_back(reduction.bytes());
  }
  EXPECT_EQ(bytes, (std::vector<int64_t>{1024, 4096, 16384}));
}

TEST(SizesOfARange, AreWholeFloatsWithinIt) {
  EXPECT_EQ(reductions_of({.least_bytes = 1, .most_bytes = 7, .factor = 2}).front().bytes(), 4);
  EXPECT_EQ(reductions_of({.least_bytes = 11, .most_bytes = 12, .factor = 2}).front().bytes(), 12);
  EXPECT_THROW(reductions_of({.least_bytes = 5, .most_bytes = 7, .factor = 2}), UsageError);
}

TEST(SizesOfARange, RefuseTheWrongOrder) {
  EXPECT_THROW(reductions_of({.least_bytes = 8, .most_bytes = 4, .factor = 2}), UsageError);
}

TEST(GradientsOfAModel, AreAllInBucketsOfTheWantedSize) {
  constexpr int64_t kBucket = 8 << 20;
  const auto all = reductions_of_model(run_of("resnet50"), kBucket);
  int64_t parameters = 0;
  for (const ParameterSpec& parameter : parameters_of(build(find_model("resnet50")))) {
    parameters += parameter.shape.elements();
  }
  int64_t bytes = 0;
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    bytes += all[i].bytes();
    EXPECT_TRUE(i + 2 == all.size() || all[i].bytes() >= kBucket) << "bucket " << i;
  }
  EXPECT_GE(bytes, parameters * 4);
  EXPECT_LT(bytes, parameters * 4 + 65536);  // each begins on a cache line
  EXPECT_EQ(all.back().bytes(), bytes);
  EXPECT_EQ(all.back().what, "all");
  EXPECT_EQ(all.back().message_floats.size(), all.size() - 1);
}

}  // namespace
}  // namespace lockstep
