#include "comm/all_reduce_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "comm/algorithms.h"
#include "comm/forwarding.h"
#include "comm/local.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(AllReduceRules, WithoutProblemsAreAscendingAndEndWithoutLimit) {
  EXPECT_THAT(problems_in({}), IsEmpty());
  EXPECT_THAT(problems_in({{100, "tree"}, {200, "ring"}, {}}), IsEmpty());
  EXPECT_THAT(problems_in({{100, "tree"}}), SizeIs(1));
  EXPECT_THAT(problems_in({{200, "tree"}, {100, "ring"}, {}}), SizeIs(1));
  EXPECT_THAT(problems_in({{200, "tree", 0}, {.algorithm = "rings"}}), SizeIs(2));
}

TEST(AllReduceRules, NameAllAlgorithmsWhenOneIsUnknown) {
  try {
    find_all_reduce_algorithm("rings");
    FAIL();
  } catch (const UsageError& error) {
    for (const AllReduceAlgorithm& algorithm : all_reduce_algorithms()) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(algorithm.name)));
    }
  }
}

// Counts the calls that reach the back-end's own all-reduce.
class Counting : public ForwardingCommunicator {
 public:
  Counting(std::unique_ptr<Communicator> inner, int& calls)
      : ForwardingCommunicator(std::move(inner)), calls_(calls) {}
  void all_reduce(std::span<float> data) override {
    ++calls_;
    ForwardingCommunicator::all_reduce(data);
  }

 private:
  int& calls_;
};

TEST(AllReduceRules, ApplyUpToAndIncludingTheirLimit) {
  int calls = 0;
  const auto comm = with_rules(std::make_unique<Counting>(std::move(make_local(1)[0]), calls),
                               {{400, "native", 2}, {800, "ring"}, {}});
  std::vector<float> data(1000);
  comm->all_reduce(std::span(data).first(100));  // two shards
  EXPECT_EQ(calls, 2);
  comm->all_reduce(std::span(data).first(101));
  comm->all_reduce(std::span(data).first(200));
  EXPECT_EQ(calls, 2);
  comm->all_reduce(data);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace lockstep
