// Whole commands in this process, on the reference engine.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/interrupt.h"
#include "base/text.h"
#include "config/json.h"
#include "report/results/run_result.h"
#include "support/command_runs.h"
#include "support/file_text.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Pair;

Outcome train(std::vector<std::string> more) {
  std::vector<std::string> words = {
      "train",           "--model=lenet",          "--batch-size=2",   "--threads=1",
      "--num-batches=3", "--num-warmup-batches=2", "--num-classes=11", "--init-learning-rate=1e-7"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

class Commands : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(Commands, TrainPrintsTheKnownLinesAndThenItsSummary) {
  const Outcome outcome = train({"--display-every=2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string number = "[0-9]+\\.[0-9]";
  const std::string step = "\timages/sec: " + number + " \\+/- " + number +
                           " \\(jitter = " + number + "\\)\t[0-9]+\\.[0-9]{3}\n";
  const std::string shape =
      "lockstep:    [0-9.]+\nModel:       lenet\nDataset:     imagenet \\(synthetic\\)\n"
      "Mode:        training\nSingleSess:  False\nBatch size:  2 global\n             2 per "
      "device\n"
      "Num batches: 3\nNum epochs:  0.00\nDevices:     \\['/cpu:0'\\]\nNUMA bind:   False\n"
      "Data format: NCHW\nOptimizer:   sgd\nVariables:   replicated\nAllReduce:   "
      "None\nHost:        [^\n]+\nThreads:     [0-9]+ per device\n==========\n"
      "Generating training model\nInitializing graph\nRunning warm up\nDone warm up\n"
      "Step\tImg/sec\ttotal_loss\n1" +
      step + "2" + step +
      "-{64}\ntotal images/sec: [0-9]+\\.[0-9]{2}\n-{64}\n"
      "(95 % [^\n]* images per second\n)?step [^\n]*\nwarm-up: [^\n]*\n[0-9.]+ GFLOP/s[^\n]*\n";
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex(shape));
}

TEST_F(Commands, TheResultHoldsEverythingMeasured) {
  const std::string file = path("r.json");
  ASSERT_EQ(train({"--result", file, "--profile", "--optimizer=momentum"}).code, 0);
  const RunResult result = read_result(file);
  EXPECT_EQ(result.status, RunStatus::Completed);
  EXPECT_EQ(result.config.optimizer, "momentum");
  EXPECT_EQ(result.steps.size(), 3u);
  EXPECT_EQ(result.warmup_steps.size(), 2u);
  EXPECT_GT(result.facts.parameters, 0);
  EXPECT_GT(result.throughput.gflops, 0);
  EXPECT_EQ(result.throughput.fma_peak_gflops, 100);
  EXPECT_GT(result.setup_seconds.value_or(0), 0);
  ASSERT_FALSE(result.ops.empty());
  EXPECT_TRUE(result.ops[0].forward_seconds.has_value());
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(Commands, ASeedGivesTheSameLossesTwice) {
  ASSERT_EQ(train({"--result", path("a.json")}).code, 0);
  ASSERT_EQ(train({"--result", path("b.json")}).code, 0);
  ASSERT_EQ(train({"--result", path("c.json"), "--seed=5"}).code, 0);
  const RunResult a = read_result(path("a.json")), b = read_result(path("b.json"));
  for (size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].losses.total_loss, b.steps[i].losses.total_loss);
  }
  EXPECT_NE(a.last_loss, read_result(path("c.json")).last_loss);
}

TEST_F(Commands, ForwardOnlyShowsSpeedAndAccuracy) {
  const Outcome outcome = train({"--forward-only"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Mode:        forward only\n"));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("\nStep\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n1\timages/sec: "));
}

TEST_F(Commands, BothImageOrdersGiveTheSameLoss) {
  ASSERT_EQ(train({"--result", path("a.json")}).code, 0);
  ASSERT_EQ(train({"--result", path("b.json"), "--data-format=NHWC"}).code, 0);
  EXPECT_NEAR(read_result(path("a.json")).last_loss, read_result(path("b.json")).last_loss, 1e-4);
}

TEST_F(Commands, ProfileAndTraceNameTheLayers) {
  const Outcome outcome =
      train({"--profile", "--trace-file", path("t.json"), "--result", path("r.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fwd ms"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("fwd ms")));
  std::set<std::pair<std::string, std::string>> traced;  // name and direction
  const Json trace = Json::parse(file_text(path("t.json")));
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") traced.emplace(event.at("name"), event.at("cat"));
  }
  const std::vector<OpResult> ops = read_result(path("r.json")).ops;
  EXPECT_EQ(ops.at(0).layer, "conv0");
  for (const OpResult& op : ops) {
    EXPECT_THAT(outcome.out, HasSubstr("\n" + op.layer + " "));
    EXPECT_THAT(traced, Contains(Pair(op.layer + " " + op.what, "forward")));
    EXPECT_THAT(traced, Contains(Pair(op.layer + " " + op.what, "backward")));
  }
}

TEST_F(Commands, TheBenchmarkLogHasAMetricForEveryShownStep) {
  ASSERT_EQ(train({"--benchmark-log-dir", path("log"), "--display-every=1"}).code, 0);
  EXPECT_EQ(Json::parse(file_text(path("log/benchmark_run.log"))).at("model_name"), "lenet");
  std::vector<std::pair<std::string, int>> metrics;
  for (const std::string& line : split(file_text(path("log/metric.log")), '\n')) {
    if (line.empty()) continue;
    const Json metric = Json::parse(line);
    metrics.emplace_back(metric.at("name"), metric.at("global_step"));
    EXPECT_GT(metric.at("value").get<double>(), 0) << line;
  }
  const char* shown = "current_examples_per_sec";  // after two steps of warm-up
  EXPECT_THAT(metrics, ElementsAre(Pair(shown, 3), Pair(shown, 4), Pair(shown, 5),
                                   Pair("average_examples_per_sec", 3)));
}

TEST_F(Commands, InterruptedTrainingReportsWhatItHas) {
  const pid_t child = fork();
  if (child == 0) {
    const SignalThread signals;
    const EngineKind engines[] = {reference_kind()};
    // Interrupts itself at the first step line, as a user would.
    struct Interrupting : std::stringbuf {
      int sync() override {
        if (str().find("images/sec:") != std::string::npos && !done) {
          done = true;
          kill(getpid(), SIGINT);
        }
        return 0;
      }
      bool done = false;
    } buffer;
    std::ostream out(&buffer);
    std::ostringstream err;
    RunContext context = {{.out = out, .err = err}, engines};
    const std::vector<std::string> words = {
        "train",       "--model=lenet",          "--batch-size=2", "--num-batches=100000",
        "--threads=1", "--num-warmup-batches=0", "--result",       path("r.json")};
    const int code = run_program(context, words);
    _exit(buffer.str().find("total images/sec:") == std::string::npos ? 99 : code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.status, RunStatus::Interrupted);
  EXPECT_GE(result.steps.size(), 1u);
  EXPECT_LT(result.steps.size(), 100000u);
}

TEST_F(Commands, ModelsListsEveryNetworkAsTextAndAsJson) {
  const Outcome text = run({"models"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("resnet50"));
  const Json list = Json::parse(run({"models", "--json"}).out);
  for (const Json& model : list) {
    for (const char* key : {"name", "dataset", "image_size", "default_batch_size", "parameters",
                            "gradient_tensors", "forward_macs"}) {
      EXPECT_TRUE(model.contains(key)) << key;
    }
    EXPECT_THAT(text.out, HasSubstr(model.at("name").get<std::string>()));
  }
}

TEST_F(Commands, ModelsShowsTheLayersOfOne) {
  const Outcome outcome = run({"models", "ResNet-50"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("25,559,081 parameters in 161 tensors"));
  EXPECT_THAT(outcome.out, HasSubstr("64x112x112"));
  EXPECT_THAT(outcome.out, HasSubstr("3,3,3,3"));
  const Json json = Json::parse(run({"models", "alexnet", "--json", "--num-classes=10"}).out);
  EXPECT_EQ(json.at("name"), "alexnet");
  EXPECT_FALSE(json.at("layers").empty());
  const Json own = Json::parse(run({"models", "resnet50", "--json"}).out).at("training");
  EXPECT_EQ(own.at("optimizer"), "sgd");
  EXPECT_EQ(own.at("weight_decay"), 4e-5);
  EXPECT_EQ(own.at("seed"), 1234);
  EXPECT_EQ(own.at("learning_rate").at("rates").size(),
            own.at("learning_rate").at("last_steps").size() + 1);
  EXPECT_GT(own.at("learning_rate").at("warmup_steps"), 0);
  EXPECT_LT(json.at("parameters").get<int64_t>(), 61842345);
}

TEST_F(Commands, ModelsListsOnlyTheGivenDataSet) {
  for (const Json& model : Json::parse(run({"models", "--json", "--data-name=cifar10"}).out)) {
    EXPECT_EQ(model.at("dataset"), "cifar10");
  }
}

TEST_F(Commands, ProfileAndLayersCanGoToFiles) {
  const Outcome outcome =
      train({"--tfprof_file", path("p.pb"), "--graph_file", path("g.txt"), "--num-batches=1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(file_text(path("p.pb"))));
  EXPECT_THAT(file_text(path("p.pb")), HasSubstr("fwd ms"));
  EXPECT_THAT(file_text(path("p.pb")), HasSubstr("conv0"));
  EXPECT_THAT(file_text(path("g.txt")), HasSubstr("conv0"));
  ASSERT_EQ(train({"--graph_file", path("g.pb"), "--num-batches=1"}).code, 0);
  const Json layers = Json::parse(file_text(path("g.pb")));
  EXPECT_EQ(layers,
            Json::parse(run({"models", "lenet", "--json", "--num-classes=11"}).out).at("layers"));
  EXPECT_EQ(train({"--graph_file=" + path("same"), "--result=" + path("same")}).code, 2);
}

TEST_F(Commands, HelpOnACommandIsItsHelp) {
  EXPECT_EQ(run({"help", "train"}).out, run({"train", "--help"}).out);
  EXPECT_EQ(run({"help", "data", "pack"}).out, run({"data", "pack", "--help"}).out);
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "trian"}).code, 2);
  EXPECT_THAT(run({"help", "trian"}).err, HasSubstr("did you mean train?"));
}

TEST_F(Commands, AFlagFileIsPartOfTheLine) {
  std::ofstream(path("flags")) << "# length\n--num_batches=1\n--mkl\n";
  const Outcome outcome = train({"-flagfile=" + path("flags"), "--num_warmup_batches=3",
                                 "--batch_group_size=2", "--ml_perf"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Num batches: 1\n"));
  EXPECT_THAT(outcome.err, HasSubstr("note: --mkl ignored: "));
  EXPECT_THAT(outcome.err, HasSubstr("note: --num-warmup-batches 3: rounded up to 4"));
  EXPECT_THAT(outcome.err, HasSubstr("note: --ml-perf: ignored without --data-dir"));
}

TEST_F(Commands, TheOverviewNamesEveryCommand) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const Subcommand& command : commands()) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string(command.name)));
    EXPECT_EQ(run({std::string(command.name), "--help"}).code, 0);
  }
  EXPECT_THAT(run({"--version"}).out, MatchesRegex("lockstep [0-9.]+\nreference: 1\n"));
}

TEST_F(Commands, TheVerboseVersionSaysWhatIsBuiltIn) {
  const std::string text = run({"--version", "--verbose"}).out;
  for (const char* row : {"compiler: ", "engine native: built in\n",
                          "Gloo: ", "hwloc API: ", "MPI: ", "SimGrid: ", "NCCL"}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
  EXPECT_EQ(run({"--version", "--verbos"}).code, 2);
}

}  // namespace
}  // namespace lockstep
