// How far predictions are from what others published. These bounds are a regression test: the
// cluster files were written with these rows in view, so they prove nothing about other clusters.
#include "sim/validate/validate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "sim/validate/validate_text.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
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

TEST(Validate, StepTimesStandInForRatesAndEfficiencyIsAPartOrAPercentage) {
  const std::string head = "source,model,batch_per_gpu,gpus,step_ms,images_per_sec,eff_published\n";
  const auto read = [&](const std::string& row) { return read_published(head + row, "t.csv")[0]; };
  EXPECT_DOUBLE_EQ(read("paper,resnet50,32,4,640,,\n").images_per_second.value(), 200);
  for (const char* given : {"0.9", "90", "90%", "90 %"}) {
    EXPECT_DOUBLE_EQ(read(fmt::format("paper,resnet50,32,4,,,{}\n", given)).efficiency.value(), 0.9)
        << given;
  }
  EXPECT_THROW(read("paper,resnet50,32,4,,,900\n"), UsageError);
}

constexpr const char* kCluster =
    "nodes = 16\ndevices_per_node = 4\n[network]\nline_gbit = 25\n"
    "[images_per_second]\n\"ResNet-50:32\" = 200\n";

class ValidateRows : public ::testing::Test {
 protected:
  ValidateRows() {
    write("my_net.toml", kCluster);
    write("slow.toml", "nodes = 4\n[network]\nline_gbit = 0.1\n");
    write("none.toml", "nodes = 4\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
  }
  Validation of(const std::string& text, KnownRuns known = KnownRuns::Node) const {
    return validate(read_published(text, "t.csv"), directory_.path().string(), known);
  }

 private:
  TemporaryDirectory directory_;
};

std::string head() {
  return "source,model,batch,nodes,gpus,update,ps,images_per_sec,eff_published,cluster\n";
}

TEST_F(ValidateRows, FewColumnsSuffice) {
  const Validation found =
      of("cluster,images_per_sec,gpus,model\nmy-net,100,1,VGG-16\nmy_net.toml,700,8,vgg16\n");
  ASSERT_EQ(found.rows.size(), 1u) << testing::PrintToString(found.skipped);
  EXPECT_DOUBLE_EQ(found.rows[0].published, 0.875);
  EXPECT_EQ(found.rows[0].row.nodes, 2) << "the cluster says how many devices a node has";
}

TEST_F(ValidateRows, ABlankBatchIsThatOfTheOnlyKnownRate) {
  const Validation found = of("model,gpus,images_per_sec,cluster\nresnet50,8,1400,my-net\n");
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].row.batch, 32);
  EXPECT_DOUBLE_EQ(found.rows[0].published, 0.875);
}

TEST_F(ValidateRows, AnEfficiencyAloneFindsItsBase) {
  const Validation found = of(head() +
                              "a,vgg16,64,1,1,horovod,,100,,my-net\n"
                              "a,VGG-16,64,4,16,horovod,,,0.7,my-net\n");
  ASSERT_EQ(found.rows.size(), 1u) << testing::PrintToString(found.skipped);
  EXPECT_DOUBLE_EQ(found.rows[0].published, 0.7);
  EXPECT_THAT(found.rows[0].known, HasSubstr("1 device at 100"));
}

TEST_F(ValidateRows, AnEfficiencyMayBeAPartOfSeveralDevices) {
  const std::string columns = "model,batch,gpus,eff_published,base_gpus,cluster\n";
  const Validation found = of(columns +
                              "resnet50,32,16,0.95,4,my-net\n"
                              "resnet50,32,16,0.95,,my-net\n");
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_GT(found.rows[0].predicted, found.rows[1].predicted + 0.01);
  EXPECT_EQ(found.rows[0].images_per_second, found.rows[1].images_per_second);
}

TEST_F(ValidateRows, NoRowIsLeftOutWithoutAWord) {
  const Validation found = of(head() +
                              "a,vgg16,64,1,4,horovod,,380,,my-net\n"  // a base
                              "a,vgg16,64,4,16,horovod,,1200,,my-net\n"
                              "a,lenet,64,4,16,horovod,,,0.7,my-net\n"  // no base
                              "a,vgg999,64,4,16,horovod,,9,,my-net\n"
                              "a,vgg16,64,4,16,horovod,,9,,\n"
                              "a,vgg16,64,4,16,horovod,,,,my-net\n"
                              "a,vgg16,64,4,4,horovod,,9,,none\n"
                              "a,vgg16,64,2,2,horovod,,9,,none\n"
                              "a,vgg16,64,2,128,horovod,,9,,my-net\n");
  EXPECT_EQ(found.rows.size(), 1u);
  EXPECT_THAT(
      found.skipped,
      ElementsAre(HasSubstr("t.csv:4: no smaller run of the same source, model, batch"),
                  HasSubstr("t.csv:5: unknown model 'vgg999'"), "t.csv:6: no cluster",
                  "t.csv:7: nothing published",
                  AllOf(HasSubstr("t.csv:8: "), HasSubstr("none.toml: network.line_gbit must be"),
                        HasSubstr("(also lines 9)")),
                  AllOf(HasSubstr("t.csv:10: "), HasSubstr("4 devices each"))));
}

TEST_F(ValidateRows, ABaseThatTheNetworkForbidsIsNoStepOfZero) {
  const Validation found = of(head() +
                              "a,vgg16,64,2,2,horovod,,300,,slow\n"
                              "a,vgg16,64,4,4,horovod,,1000,,slow\n");
  EXPECT_TRUE(found.rows.empty());
  EXPECT_THAT(
      found.skipped,
      ElementsAre(HasSubstr("t.csv:3: 2 devices cannot reach 300 images/sec on cluster slow")));
}

TEST(Validate, UpdatesThatItDoesNotKnowAreRefused) {
  const auto kind = [](const std::string& update, int servers) {
    return scenario_of({.model = "resnet50", .update = update, .servers = servers}).update;
  };
  for (const char* update : {"ps", "Parameter-Server", "PS (8)", "kvstore=dist_sync"}) {
    EXPECT_EQ(kind(update, 0), UpdateKind::ParameterServer) << update;
  }
  EXPECT_EQ(kind("", 8), UpdateKind::ParameterServer);
  EXPECT_EQ(kind("sync", 8), UpdateKind::ParameterServer);
  EXPECT_EQ(kind("horovod", 1), UpdateKind::AllReduce);
  for (const char* update : {"", "replicated+nccl", "DDP", "MirroredStrategy", "Ring-Allreduce"}) {
    EXPECT_EQ(kind(update, 0), UpdateKind::AllReduce) << update;
  }
  EXPECT_THROW(kind("magic", 0), UsageError);
  EXPECT_THROW(kind("async", 8), UsageError) << "only synchronous steps are predicted";
}

TEST(Validate, NodesThatAreNotFullHaveFewerDevices) {
  const auto read = [](const std::string& row) {
    return read_published("model,gpus_per_node,nodes,gpus\n" + row, "t.csv")[0];
  };
  EXPECT_EQ(read("vgg16,4,2,4\n").per_node, 2);
  EXPECT_EQ(read("vgg16,4,2,\n").devices, 8);
  EXPECT_EQ(read("vgg16,4.0,,16.0\n").nodes, 4);
  EXPECT_EQ(read("vgg16,,,16\n").nodes, 0) << "as the cluster has them";
  EXPECT_THAT(read("vgg16,2,2,16\n").problem, HasSubstr("fewer than 16 devices"));
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
