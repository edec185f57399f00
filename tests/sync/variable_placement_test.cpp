#include "sync/variable_placement.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sync/server_plan.h"

namespace lockstep {
namespace {

// Variables of so many floats; the first half of them decays. Backward goes from last to first.
struct Variables {
  explicit Variables(const std::vector<int64_t>& floats)
      : order(reversed(std::ssize(floats))), arena(floats, order) {
    for (size_t id = 0; id < floats.size(); ++id) {
      parameters.push_back({floats[id], id < floats.size() / 2});
      names.push_back("v" + std::to_string(id));
    }
  }
  static std::vector<ParameterId> reversed(int64_t count) {
    std::vector<ParameterId> ids(count);
    std::iota(ids.rbegin(), ids.rend(), 0);
    return ids;
  }
  std::vector<Slice> place(int servers, const SyncOptions& options) {
    return place_slices({arena, {}, parameters, [](ParameterId) {}, names}, servers, options);
  }

  std::vector<ParameterId> order;
  ParameterArena arena;
  std::vector<OptimizedParameter> parameters;
  std::vector<std::string> names;
};

std::vector<std::string> on_server(const std::vector<Slice>& slices, int server) {
  std::vector<std::string> names;
  for (const Slice& slice : slices) {
    if (slice.server == server) names.push_back(slice.name);
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(Placement, GivesEachVariableToTheServerWithTheFewestBytes) {
  Variables variables({1000, 100, 200, 900, 300});
  const auto slices = variables.place(2, {});
  EXPECT_EQ(on_server(slices, 0), (Names{"v4", "v0"}));
  EXPECT_EQ(on_server(slices, 1), (Names{"v3", "v2", "v1"}));
}

TEST(Placement, OneServerHasEverythingInTheOrderOfBackward) {
  Variables variables({10, 20, 30});
  EXPECT_EQ(on_server(variables.place(1, {}), 0), (Names{"v2", "v1", "v0"}));
}

TEST(Placement, SpreadsALargeVariableOverAllServers) {
  Variables variables({1000, 16});
  const auto slices = variables.place(3, {.sharded = true, .sharded_bytes = 4000});
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0].name, "v1");
  EXPECT_EQ(slices[1].name, "v0 1/3");
  EXPECT_EQ(slices[3].name, "v0 3/3");
  int64_t end = variables.arena.offset(0);
  for (int server = 0; server < 3; ++server) {
    const Slice& shard = slices[1 + server];
    EXPECT_EQ(shard.server, server);
    EXPECT_EQ(shard.first_float, end);
    EXPECT_NEAR(static_cast<double>(shard.floats), 1000.0 / 3, 16);
    EXPECT_EQ(shard.parts, (std::vector<SlicePart>{{0, shard.floats, true}}));
    EXPECT_EQ(shard.completes.empty(), server < 2);
    end += shard.floats;
  }
  EXPECT_EQ(end, variables.arena.offset(0) + 1000);
}

TEST(Placement, LeavesWhatIsSmallerThanACacheLinePerServerWhole) {
  Variables variables({20});
  const auto slices = variables.place(8, {.sharded = true, .sharded_bytes = 1});
  int64_t floats = 0;
  for (const Slice& slice : slices) {
    EXPECT_GT(slice.floats, 0);
    floats += slice.floats;
  }
  EXPECT_EQ(floats, 20);
  EXPECT_EQ(slices.back().completes, (std::vector<ParameterId>{0}));
}

TEST(Placement, SmallNeighboursShareASliceAndKeepTheirDecay) {
  Variables variables({1000, 10, 10, 10});
  const auto slices = variables.place(2, {.small_bytes = 40});
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].name, "v3 to v1");
  EXPECT_EQ(slices[0].parts,
            (std::vector<SlicePart>{{0, 10, false}, {16, 10, false}, {32, 10, true}}));
  EXPECT_EQ(slices[0].last, 1);
  EXPECT_EQ(slices[0].completes, (std::vector<ParameterId>{3, 2, 1}));
}

TEST(ServerPlan, ReachesTheServersAsItIs) {
  Variables variables({1000, 10, 10, 10});
  const ServerPlan plan{.workers = 3,
                        .synchronous = false,
                        .gradient_scale = 1.0 / 3,
                        .optimizer = {.name = "adam", .adam_epsilon = 1e-7, .gradient_clip = 0.1},
                        .slices = variables.place(2, {.small_bytes = 40})};
  const ServerPlan read = plan_from_text(text_of(plan));
  EXPECT_EQ(text_of(read), text_of(plan));
  EXPECT_EQ(read.gradient_scale, plan.gradient_scale);
  EXPECT_EQ(read.optimizer.adam_epsilon, 1e-7);
  EXPECT_EQ(read.optimizer.gradient_clip, 0.1);
  EXPECT_EQ(read.slices[0].parts, plan.slices[0].parts);
}

TEST(ServerPlan, RefusesAnInvalidPlan) {
  EXPECT_THROW(plan_from_text(""), std::runtime_error);
  EXPECT_THROW(plan_from_text("{}"), std::runtime_error);
  EXPECT_THROW(plan_from_text(R"({"version":99})"), std::runtime_error);
}

}  // namespace
}  // namespace lockstep
