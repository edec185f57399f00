#include "sweep/default_axes.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kGigabyte = 1'000'000'000;

// Never runs. Needs half a gigabyte per image, whatever the network.
class LargeEngine : public HostEngine {
 public:
  explicit LargeEngine(int batch) : batch_(batch) {}
  std::span<const ParameterInfo> parameters() const override { return {}; }
  std::span<const ParameterId> backward_order() const override { return {}; }
  uint64_t layout_fingerprint() const override { return 0; }
  void bind(ParameterArena&) override {}
  StepOutcome run_forward(const Batch&) override { return {}; }
  void backward(const GradientReady&) override {}
  void values_changed(ParameterId) override {}
  void read_plain(ParameterId, std::span<const float>, std::span<float>) const override {}
  void write_plain(ParameterId, std::span<const float>, std::span<float>) const override {}
  void count_from(int64_t) override {}
  std::span<const StateInfo> state() override { return {}; }
  void state_changed() override {}
  std::span<const OpInfo> ops() const override { return {}; }
  void observe(OpObserver*) override {}
  int64_t memory_bytes() const override { return batch_ * kGigabyte / 2; }

 private:
  int batch_;
};

EngineKind large_kind() {
  EngineKind kind = {};
  kind.name = "native";
  kind.make = [](const Graph&, const EngineOptions& options) -> std::unique_ptr<Engine> {
    return std::make_unique<LargeEngine>(options.batch);
  };
  return kind;
}

class DefaultAxes : public ::testing::Test {
 protected:
  std::vector<std::string> fill(SweepOptions& options) {
    const EngineKind engines[] = {large_kind()};
    const Environment environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment_.find(name);
      return found == environment_.end() ? std::nullopt : std::optional(found->second);
    };
    const RunContext context = {{.out = out_, .err = out_, .environment = environment}, engines};
    return fill_in_axes(options, context, machine_, earlier_);
  }
  std::string file_with(const char* text) {
    const std::string path = temporary_.path("workers");
    std::ofstream(path) << text;
    return path;
  }

  TemporaryDirectory temporary_;
  std::ostringstream out_;
  std::map<std::string, std::string> environment_;
  SweepMachine machine_ = {.cores = 4, .available_bytes = 10'000 * kGigabyte};
  StoreContents earlier_;
};

TEST_F(DefaultAxes, WithoutOptionsTwoNetworksAndTwoStrategiesAreCompared) {
  SweepOptions options;
  EXPECT_THAT(fill(options), IsEmpty());
  EXPECT_THAT(options.lists["models"], ElementsAre("inception3:32", "alexnet:512"));
  EXPECT_THAT(options.lists["variable-update"], ElementsAre("parameter_server", "replicated"));
  EXPECT_THAT(options.lists["num-batches"], ElementsAre("10"));
  EXPECT_EQ(options.repeats, 3);
  EXPECT_FALSE(options.lists.contains("hosts"));
}

TEST_F(DefaultAxes, AnAxisThatIsGivenReplacesTheDefault) {
  SweepOptions options;
  options.lists["variable-update"] = {"horovod"};
  options.lists["num-batches"] = {"5"};
  options.repeats = 7;
  fill(options);
  EXPECT_THAT(options.lists["variable-update"], ElementsAre("horovod"));
  EXPECT_THAT(options.lists["num-batches"], ElementsAre("5"));
  EXPECT_EQ(options.repeats, 7);
  EXPECT_TRUE(options.lists.contains("models"));
}

TEST_F(DefaultAxes, WithNetworksAllElseKeepsTheDefaultsOfARun) {
  for (const char* name : {"models", "model"}) {
    SweepOptions options;
    options.lists[name] = {"alexnet"};
    EXPECT_THAT(fill(options), IsEmpty());
    EXPECT_EQ(options.lists.size(), 1u);
    EXPECT_FALSE(options.repeats);
  }
}

// Four workers and a server share nine tenths of 20 GB: 3.6 GB hold 4 images and the parameters,
// but not 8.
TEST_F(DefaultAxes, TheBatchIsHalvedUntilItFitsIntoMemory) {
  machine_.available_bytes = 20 * kGigabyte;
  SweepOptions options;
  const std::vector<std::string> notes = fill(options);
  EXPECT_THAT(options.lists["models"], ElementsAre("inception3:4", "alexnet:4"));
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes.front(), HasSubstr("inception3: batch size 4, because its default, 32, does "
                                       "not fit into 3.6 GB per process"));
}

TEST_F(DefaultAxes, ASweepResumesWithItsBatchSizes) {
  machine_.available_bytes = 20 * kGigabyte;
  StoredRun run = {.id = "x"};
  run.result.config.model = "inception3";
  run.result.config.batch_size = 8;
  earlier_.runs.push_back(run);
  SweepOptions options;
  options.output = "out";
  EXPECT_THAT(fill(options).front(), "inception3: batch size 8, as in the results of out");
  EXPECT_THAT(options.lists["models"], ElementsAre("inception3:8", "alexnet:4"));
}

TEST_F(DefaultAxes, ABatchSizeThatIsGivenIsKept) {
  machine_.available_bytes = kGigabyte;
  SweepOptions sized, preset;
  sized.lists["batch-size"] = {"64"};
  EXPECT_THAT(fill(sized), IsEmpty());
  EXPECT_THAT(sized.lists["models"], ElementsAre("inception3", "alexnet"));
  preset.batch_preset = "aws-g2";
  EXPECT_THAT(fill(preset), IsEmpty());
  EXPECT_THAT(preset.lists["models"], ElementsAre("inception3:8", "alexnet:128"));
  preset.lists["batch-size"] = {"64"};
  EXPECT_THROW(fill(preset), UsageError);
}

TEST_F(DefaultAxes, APresetAppliesToModelAsToModels) {
  SweepOptions options;
  options.lists["model"] = {"alexnet", "inception3"};
  options.batch_preset = "aws-p2";
  fill(options);
  EXPECT_THAT(options.lists["models"], ElementsAre("alexnet:512", "inception3:32"));
  EXPECT_FALSE(options.lists.contains("model"));
}

TEST_F(DefaultAxes, TheHostsOfAnAwsClusterAreUsed) {
  environment_["DEEPLEARNING_WORKERS_PATH"] = file_with("worker1\nworker2\nworker3\n");
  SweepOptions options, with_models, local;
  const std::vector<std::string> notes = fill(options);
  EXPECT_THAT(options.lists["hosts"], ElementsAre(environment_["DEEPLEARNING_WORKERS_PATH"]));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes.front(), HasSubstr("3 hosts of $DEEPLEARNING_WORKERS_PATH"));
  const std::vector<Axis> axes = axes_of(options, 4);
  EXPECT_EQ(axes.back().name, "nodes");
  EXPECT_EQ(axes.back().points.size(), 3u);  // 1, 2, 3
  with_models.lists["models"] = {"alexnet:4"};
  fill(with_models);
  EXPECT_TRUE(with_models.lists.contains("hosts"));
  local.lists["launcher"] = {"local"};
  EXPECT_THAT(fill(local), IsEmpty());
  EXPECT_FALSE(local.lists.contains("hosts"));
}

TEST_F(DefaultAxes, AListOfThisMachineAloneScalesOverItsDevices) {
  for (const auto& [line, most] : {std::pair{"localhost\n", 0}, {"localhost slots=3\n", 3}}) {
    environment_["DEEPLEARNING_WORKERS_PATH"] = file_with(line);
    SweepOptions options;
    EXPECT_THAT(fill(options), ElementsAre(HasSubstr("is this machine")));
    EXPECT_FALSE(options.lists.contains("hosts"));
    EXPECT_EQ(options.max_devices, most);
    EXPECT_EQ(axes_of(options, 4).back().name, axes_of({}, 4).back().name);
  }
}

TEST_F(DefaultAxes, HostsThatAreThisMachineAloneScaleOverItsDevices) {
  SweepOptions alone, nodes_given, others;
  alone.lists["hosts"] = nodes_given.lists["hosts"] = {"localhost:3"};
  EXPECT_THAT(fill(alone), ElementsAre("the only host of --hosts (localhost:3) is this machine"));
  EXPECT_FALSE(alone.lists.contains("hosts"));
  EXPECT_EQ(alone.max_devices, 3);
  nodes_given.lists["nodes"] = {"1"};
  fill(nodes_given);
  EXPECT_TRUE(nodes_given.lists.contains("hosts"));
  environment_["DEEPLEARNING_WORKERS_PATH"] = file_with("worker1\nworker2\n");
  SweepOptions in_cluster;  // what is typed counts
  in_cluster.lists["hosts"] = {"localhost"};
  fill(in_cluster);
  EXPECT_FALSE(in_cluster.lists.contains("hosts"));
  others.lists["hosts"] = {"localhost,worker2"};
  fill(others);
  EXPECT_TRUE(others.lists.contains("hosts"));
}

TEST_F(DefaultAxes, GpuMeansTheCpuWhereThereIsNone) {
  SweepOptions options, on_hosts;
  options.lists["device"] = {"GPU"};
  EXPECT_THAT(fill(options), ElementsAre(HasSubstr("this host has no GPU")));
  EXPECT_THAT(options.lists["device"], ElementsAre("cpu"));
  on_hosts.lists = {{"device", {"gpu"}}, {"hosts", {"worker1,worker2"}}};
  fill(on_hosts);
  EXPECT_THAT(on_hosts.lists["device"], ElementsAre("gpu"));
}

TEST_F(DefaultAxes, GpuMeansTheGpuOfThisHost) {
  SweepOptions options;
  machine_.gpu = "xpu";
  options.lists["device"] = {"cpu", "gpu"};
  EXPECT_THAT(fill(options), ::testing::IsEmpty());
  EXPECT_THAT(options.lists["device"], ElementsAre("cpu", "xpu"));
}

TEST_F(DefaultAxes, AnAwsClusterWithoutItsFileIsAnError) {
  environment_["DEEPLEARNING_WORKERS_PATH"] = "/nowhere/workers";
  SweepOptions options;
  try {
    fill(options);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/workers: no such file"));
  }
}

TEST_F(DefaultAxes, TheNodesOfASlurmAllocationAreUsed) {
  environment_ = {
      {"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "3"}, {"SLURM_NTASKS_PER_NODE", "2"}};
  SweepOptions options, few, with_models;
  EXPECT_THAT(fill(options), ElementsAre("3 nodes of Slurm job 7"));
  EXPECT_THAT(options.lists["nodes"], ElementsAre("1", "2", "3"));
  EXPECT_THAT(options.lists["num-devices"], ElementsAre("2"));
  EXPECT_THAT(options.lists["launcher"], ElementsAre("slurm"));
  few.max_devices = 2;
  fill(few);
  EXPECT_THAT(few.lists["nodes"], ElementsAre("1", "2"));
  axes_of(few, 4);
  with_models.lists["models"] = {"alexnet:4"};
  fill(with_models);
  EXPECT_EQ(with_models.lists.size(), 1u);
  environment_["SLURM_JOB_NUM_NODES"] = "1";
  SweepOptions one;
  EXPECT_THAT(fill(one), IsEmpty());
  EXPECT_FALSE(one.lists.contains("nodes"));
}

TEST_F(DefaultAxes, WorkersWithoutServersAreComparedByAllReduceOnly) {
  SweepOptions options;
  options.lists["worker-hosts"] = {"a:2222,b:2222"};
  fill(options);
  EXPECT_FALSE(options.lists.contains("variable-update"));
}

TEST_F(DefaultAxes, AProgramNeedsNetworks) {
  SweepOptions options;
  options.lists["program"] = {"horovod"};
  EXPECT_THROW(fill(options), UsageError);
}

}  // namespace
}  // namespace lockstep
