// How far predictions are from what others published. These bounds are a regression test: the
// cluster files were written with these rows in view, so they prove nothing about other clusters.
#include "sim/validate/validate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "sim/validate/validate_text.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool of_cpu_nodes(const ValidatedRow& each) { return each.row.cluster == "cori-haswell"; }

Validation without_cpu_nodes() {
  Validation validation = validate(own_published_rows(), "", KnownRuns::Node);
  std::erase_if(validation.rows, of_cpu_nodes);
  return validation;
}

TEST(Validate, PublishedGpuClustersAreWithinTheBounds) {
  const Validation validation = without_cpu_nodes();
  EXPECT_GE(validation.rows.size(), 131u);
  const std::vector<ErrorSummary> summaries = summaries_by_source(validation);
  EXPECT_LE(summaries.back().mean, 0.035);
  for (const ErrorSummary& each : summaries) {
    EXPECT_LE(each.mean, 0.05) << each.name;
    EXPECT_LE(std::abs(each.worst), 0.12) << each.name;
  }
  EXPECT_LT(summaries.back().mean, summaries.back().constant / 3);
}

TEST(Validate, TheHeadlineOf512DevicesIsReproduced) {
  std::map<std::string, double> predicted;
  for (const ValidatedRow& each : without_cpu_nodes().rows) {
    if (each.row.devices != 512) continue;
    predicted[each.row.model] = each.predicted;
    EXPECT_NEAR(each.predicted, each.published, 0.03) << each.row.model;
  }
  ASSERT_EQ(predicted.size(), 3u);
  EXPECT_GT(predicted["inception3"], predicted["vgg16"]);
  EXPECT_GT(predicted["resnet101"], predicted["vgg16"]);
}

TEST(Validate, CpuNodesFollowFromTheirSmallestRun) {
  Validation validation = validate(own_published_rows(), "", KnownRuns::Smallest);
  std::erase_if(validation.rows,
                [](const ValidatedRow& each) { return !of_cpu_nodes(each) || !each.persistence; });
  const ErrorSummary all = summaries_by_source(validation).back();
  EXPECT_GE(all.rows, 40);
  EXPECT_LE(all.mean, 0.06);
  EXPECT_LT(all.mean, *all.persistence);
}

TEST(Validate, TheBaseIsTheSmallestRunOfTheSameWork) {
  const std::string text =
      "source,model,batch_per_gpu,gpus_per_node,nodes,gpus,update,data,images_per_sec,cluster\n"
      "paper,resnet50,64,8,1,8,horovod NCCL,synthetic,800,ec2-p3-16xlarge\n"
      "paper,resnet50,64,8,2,16,horovod NCCL,synthetic,1200,ec2-p3-16xlarge\n";
  const Validation validation = validate(read_published(text, "t.csv"), "", KnownRuns::Device);
  ASSERT_EQ(validation.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(validation.rows[0].published, 0.75);
}

TEST(Validate, ACellThatIsNoNumberIsRefusedWithItsLine) {
  try {
    read_published("source,model,gpus,images_per_sec\npaper,resnet50,many,3\n", "t.csv");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "t.csv:2: gpus must be a number above 0, not 'many'");
  }
}

TEST(Validate, StepTimesStandInForRatesAndEfficiencyIsAPart) {
  const std::string head = "source,model,batch_per_gpu,gpus,step_ms,images_per_sec,eff_published\n";
  const PublishedRow row = read_published(head + "paper,resnet50,32,4,640,,\n", "t.csv")[0];
  EXPECT_DOUBLE_EQ(row.images_per_second.value(), 200);
  EXPECT_THROW(read_published(head + "paper,resnet50,32,4,,,90\n", "t.csv"), UsageError);
}

TEST(Validate, TablesFitAHundredColumns) {
  const Validation validation = validate(own_published_rows(), "", KnownRuns::Node);
  for (const std::string& text : {validation_table(validation), error_table(validation)}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Validate, WordsOfPublishedTablesAreUnderstood) {
  PublishedRow row{.model = "resnet50", .framework = "TF", .update = "horovod TCP NCCL"};
  Scenario scenario = scenario_of(row);
  EXPECT_EQ(scenario.strategy, "horovod");
  EXPECT_EQ(scenario.transport, "tcp");
  EXPECT_EQ(scenario.library, "nccl");
  row.update = "parameter_server(cpu)";
  EXPECT_EQ(scenario_of(row).update, UpdateKind::ParameterServer);
  row.update = "distributed_replicated";
  EXPECT_EQ(scenario_of(row).update, UpdateKind::DistributedReplicated);
  row.update = "horovod RDMA allreduce on CPU";
  EXPECT_EQ(scenario_of(row).library, "openmpi");
  row.precision = "fp16";
  EXPECT_EQ(scenario_of(row).gradient_scale, 0.5);
}

}  // namespace
}  // namespace lockstep
