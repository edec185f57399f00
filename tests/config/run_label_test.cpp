#include "config/run_label.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(RunLabel, CountsTheDevicesOfAllHosts) {
  RunConfig run = {.model = "alexnet", .batch_size = 8};
  run.num_devices = 2;
  EXPECT_EQ(run_label(run, {}), "alexnet:8 x2 native");
  run.nodes = 2;
  EXPECT_EQ(run_label(run, {}), "alexnet:8 x4 native");
  run.nodes.reset();
  run.hosts = "a,b,c";
  EXPECT_EQ(devices_of(run), 6);
  run.num_devices = 1;
  run.hosts = "a:4,b=10.0.0.2:3,[fe80::1]:2,fe80::7,c";
  EXPECT_EQ(devices_of(run), 4 + 3 + 2 + 1 + 1);
  run.nodes = 2;
  EXPECT_EQ(devices_of(run), 7);
  run.num_workers = 5;
  EXPECT_EQ(devices_of(run), 5);
  EXPECT_EQ(run_label(run, {}, 7), "alexnet:8 x7 native");
}

TEST(RunLabel, NamesAPrecisionOtherThanF32) {
  RunConfig run = {.model = "alexnet", .batch_size = 8, .engine = "torch", .dtype = "bf16"};
  EXPECT_EQ(run_label(run, {}), "alexnet:8 x1 torch bf16");
  run.dtype = "f32";
  EXPECT_EQ(run_label(run, {}), "alexnet:8 x1 torch");
}

TEST(RunLabel, AnOptionWithoutAValueIsLeftOut) {
  const std::string_view options[] = {"variable-update", "num-ps"};
  RunConfig run;
  EXPECT_EQ(settings_label(run, options), "variable-update=replicated");
  run.num_ps = 2;
  run.variable_update = "parameter_server";
  EXPECT_EQ(settings_label(run, options), "variable-update=parameter_server num-ps=2");
}

// Otherwise their rows would look the same.
TEST(RunLabel, VersionsOfANetworkFileAreToldApart) {
  RunConfig runs[] = {{.model = "net", .network = "one"}, {.model = "net", .network = "two"}};
  const std::vector<std::string_view> options = differing_options(runs);
  ASSERT_EQ(options, std::vector<std::string_view>{"network"});
  EXPECT_EQ(settings_label(runs[0], options).size(), std::string("network=12345678").size());
  EXPECT_NE(settings_label(runs[0], options), settings_label(runs[1], options));
  runs[1].model = "another";
  EXPECT_TRUE(differing_options(runs).empty());
}

}  // namespace
}  // namespace lockstep
