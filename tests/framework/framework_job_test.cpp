#include "framework/framework_job.h"

#include <gtest/gtest.h>

#include <fstream>

#include "config/json.h"
#include "data/pipeline/synthetic.h"
#include "nn/cost.h"
#include "nn/zoo.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

TEST(FrameworkJob, TheFilesHoldWhatTheJobCounts) {
  const TemporaryDirectory directory;
  const Graph graph = build(find_model("cifar10_alexnet"));
  SyntheticSource input({.image = graph.shape(graph.image()), .batch = 4, .labels = 10, .seed = 3});
  const std::string path = write_framework_job({.graph = graph,
                                                .batch = 4,
                                                .warmup_steps = 1,
                                                .timed_steps = 2,
                                                .input = input,
                                                .learning_rates = {0.1, 0.1, 0.01},
                                                .check_steps = 2,
                                                .addresses = {"10.0.0.1:4000", "10.0.0.2:4001"}},
                                               directory.path().string());
  const auto size = [&](const char* name) {
    return static_cast<int64_t>(std::filesystem::file_size(directory.path() / name));
  };
  EXPECT_EQ(size("values.f32"), 4 * cost_of(graph).parameters);
  EXPECT_EQ(size("images.f32"), 4 * 4 * graph.shape(graph.image()).elements());
  EXPECT_EQ(size("labels.i32"), 4 * 4 * 3);
  std::ifstream file(path);
  const Json job = Json::parse(file);
  int64_t masked = 0;
  for (const Json& name : job.at("check").at("masked_layers")) {
    for (const Json& layer : job.at("network").at("layers")) {
      if (layer.at("name") != name) continue;
      int64_t elements = 4;
      for (const int64_t extent : layer.at("output")) elements *= extent;
      masked += elements;
    }
  }
  EXPECT_EQ(size("masks.u8"), 2 * masked);
  EXPECT_EQ(job.at("learning_rates").size(), 3u);
  EXPECT_EQ(job.at("addresses"), Json({"10.0.0.1:4000", "10.0.0.2:4001"}));
  EXPECT_TRUE(job.at("mode").is_null());
}

TEST(FrameworkJob, AShortRunHasLabelsForAllCheckedSteps) {
  const TemporaryDirectory directory;
  const Graph graph = build(find_model("lenet"));
  SyntheticSource input({.image = graph.shape(graph.image()), .batch = 4, .labels = 10, .seed = 3});
  write_framework_job(
      {.graph = graph, .batch = 4, .timed_steps = 1, .input = input, .check_steps = 3},
      directory.path().string());
  EXPECT_EQ(std::filesystem::file_size(directory.path() / "labels.i32"), 4u * 4 * 3);
}

}  // namespace
}  // namespace lockstep
