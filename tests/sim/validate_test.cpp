// How far predictions are from what others published. These bounds are a regression test: the
// cluster files were written with these rows in view, so they prove nothing about other clusters.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "sim/validate/error_summary.h"
#include "sim/validate/validate_text.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(Validate, NumbersAreReadAsSpreadsheetsWriteThem) {
  const auto rate = [](const std::string& cell) {
    return read_published("model,gpus,images_per_sec\nvgg16,8," + cell + "\n", "t.csv")[0];
  };
  EXPECT_EQ(rate("\"1,234.5\"").images_per_second, 1234.5);
  EXPECT_EQ(rate("\"1,234,567\"").images_per_second, 1234567);
  EXPECT_EQ(rate("0").images_per_second, std::nullopt) << "a run that failed";
  EXPECT_EQ(rate("0").problem, "");
  for (const char* cell : {"~900", "OOM", "?", "-3", "\"1,2,345\"", "\"12,34\""}) {
    EXPECT_THAT(rate(cell).problem, HasSubstr("images_per_sec must be a number above 0")) << cell;
  }
}

TEST(Validate, EfficiencyIsAPartOrAPercentage) {
  const std::string head = "source,model,batch_per_gpu,gpus,step_ms,images_per_sec,eff_published\n";
  const auto read = [&](const std::string& row) { return read_published(head + row, "t.csv")[0]; };
  for (const char* given : {"0.9", "90", "90%", "90 %"}) {
    EXPECT_DOUBLE_EQ(read(fmt::format("paper,resnet50,32,4,,,{}\n", given)).efficiency.value(), 0.9)
        << given;
  }
  EXPECT_THAT(read("paper,resnet50,32,4,,,900\n").problem, HasSubstr("must be a part of 1"));
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
    write("fed.toml", "nodes = 16\n[node]\ncores = 2\n[network]\nline_gbit = 25\n");
    write("both.toml", std::string(kCluster) + "\"resnet50:32:fp16\" = 400\n");
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

TEST_F(ValidateRows, OneThatCannotBeReadDoesNotHideTheOthers) {
  const Validation found =
      of("model,gpus,images_per_sec,cluster\n"
         "resnet50,many,3,my-net\n"
         "resnet50,,3,my-net\n"
         "resnet50,8,1400,my-net,\n"
         "resnet50,8,1,400,my-net\n"
         "resnet50,8\n");
  EXPECT_EQ(found.rows.size(), 1u);
  EXPECT_THAT(found.skipped,
              ElementsAre("t.csv:2: gpus must be a number above 0, not 'many'",
                          HasSubstr("t.csv:3: a row needs model and gpus"),
                          "t.csv:5: 5 cells, but the header has 4", "t.csv:6: no cluster"));
}

TEST_F(ValidateRows, StepTimesStandInForRates) {
  const Validation found =
      of("model,gpus,batch,step_ms,cluster\nresnet50,8,32,182.857,my-net\n"
         "resnet50,8,,182.857,my-net\n");
  ASSERT_EQ(found.rows.size(), 2u) << testing::PrintToString(found.skipped);
  for (const ValidatedRow& each : found.rows) EXPECT_NEAR(each.published, 0.875, 1e-4);
}

TEST_F(ValidateRows, TheBaseIsOfTheSamePrecision) {
  const std::string columns = "model,gpus,images_per_sec,precision,cluster\n";
  const Validation found = of(columns +
                              "resnet50,8,1400,fp32,both\n"
                              "resnet50,8,2800,FP16,both\n"
                              "resnet50,8,2800,fp16,my-net\n");
  ASSERT_EQ(found.rows.size(), 2u);
  for (const ValidatedRow& each : found.rows) EXPECT_DOUBLE_EQ(each.published, 0.875);
  EXPECT_THAT(found.skipped, ElementsAre(HasSubstr("t.csv:4: 175 % of the base's 200")));
}

TEST_F(ValidateRows, AOneDeviceRunWithRealDataHasDecodedItsImages) {
  const auto predicted = [&](int rate) {
    const Validation found =
        of(fmt::format("model,batch,nodes,gpus,data,images_per_sec,cluster\n"
                       "resnet50,256,1,1,real,{},fed\nresnet50,256,2,2,real,{},fed\n",
                       rate, 2 * rate));
    return found.rows.empty() ? ValidatedRow{} : found.rows[0];
  };
  EXPECT_GT(predicted(300).predicted, 0.9) << "both decode on two cores";
  EXPECT_LE(predicted(300).predicted, 1);
  EXPECT_THAT(predicted(300).known, Not(HasSubstr("input is left out")));
  EXPECT_THAT(predicted(1000).known, HasSubstr("input is left out")) << "two cores decode 600";
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
                              "a,vgg16,64,1,1,horovod,,9,,none\n"
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
  row.update = "DDP";
  EXPECT_EQ(scenario_of(row).bucket_mb, 25);
  EXPECT_EQ(scenario_of(row).usual_scheduler, "buckets");
}

TEST(Validate, OnlyGradientsIn16BitsAreHalfAsLarge) {
  const auto scale = [](const std::string& precision, const std::string& update) {
    return scenario_of({.model = "resnet50", .update = update, .precision = precision})
        .gradient_scale;
  };
  for (const char* precision : {"fp16", "BF16", "float16", "half"}) {
    EXPECT_EQ(scale(precision, "horovod"), 0.5) << precision;
  }
  for (const char* precision : {"", "fp32", "tf32", "AMP", "mixed", "mixed fp16"}) {
    EXPECT_EQ(scale(precision, "horovod"), 1) << precision;
  }
  EXPECT_EQ(scale("amp", "horovod fp16 compression"), 0.5);
}

}  // namespace
}  // namespace lockstep
