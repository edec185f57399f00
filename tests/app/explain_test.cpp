// 'lockstep explain', and causes that are really there: it must name them. No time is asserted.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "app/sweep_fixture.h"
#include "base/text.h"
#include "config/json.h"
#include "report/analysis/loss_budget.h"
#include "report/render/text_table.h"
#include "report/results/results_store.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Explain : public Sweep {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  // Two workers with one thread each. `environment`: "NAME=VALUE" of all of them.
  RunResult train(const std::vector<std::string>& more,
                  std::vector<std::string> environment = {}) const {
    std::vector<std::string> words = {
        lockstep_program(), "train",           "--num-devices=2",  "--threads=1",
        "--model=lenet",    "--batch-size=32", "--num-batches=30", "--num-warmup-batches=2",
        "--result",         path("r.json")};
    words.insert(words.end(), more.begin(), more.end());
    environment.insert(environment.begin(), "env");
    words.insert(words.begin(), environment.begin(), environment.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    out_ = ran.out;
    return read_result(path("r.json"));
  }
  Json explained(const std::vector<std::string>& sources) const {
    std::vector<std::string> words = {lockstep_program(), "explain", "--json"};
    words.insert(words.end(), sources.begin(), sources.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    return Json::parse(ran.out);
  }
  static std::string largest(const Json& budget) {
    const auto& parts = budget.at("parts");
    return std::ranges::max_element(
               parts, {}, [](const Json& part) { return part.at("fraction").get<double>(); })
        ->at("part");
  }

  mutable std::string out_;
};

// Processes that use a core as much as they can, until this ends.
class BusyLoops {
 public:
  BusyLoops(int core, int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) spin(core);
      children_.push_back(child);
    }
  }
  ~BusyLoops() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

 private:
  [[noreturn]] static void spin(int core) {
    setsid();  // the kernel shares a core between sessions, not between processes
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    volatile unsigned turns = 0;
    for (;;) turns = turns + 1;
  }
  std::vector<pid_t> children_;
};

TEST_F(Explain, ARankBesideBusyLoopsIsNamed) {
  const RunResult quiet = train({});
  ASSERT_EQ(quiet.ranks.size(), 2u);
  if (!quiet.facts.pinned) GTEST_SKIP() << "workers have no cores of their own here";
  const int core = std::stoi(quiet.ranks[1].cores);
  const BusyLoops others(core, 8);  // many, so that other load on the machine is small beside them
  train({});
  const Json budget = explained({path("r.json")}).at(0);
  EXPECT_EQ(largest(budget), "late_ranks") << budget.dump(1);
  EXPECT_EQ(budget.at("late_ranks").at(0).at("rank"), 1);
  EXPECT_EQ(budget.at("rule"), "late-rank");
  EXPECT_THAT(out_, HasSubstr("Rank 1 ("));
}

TEST_F(Explain, ASlowDataDirectoryIsNamed) {
  const Ran made = run({lockstep_program(), "data", "make", path("data"), "--images=96",
                        "--height=64", "--width=64", "--classes=10"});
  ASSERT_EQ(made.exit_code(), 0) << made.err;
  const fs::path library = fs::path(lockstep_program()).parent_path() / "slow_reads";
  // The images that were read while the program started last for four steps: those are not timed.
  train({"--model=trivial", "--batch-size=32", "--num-batches=10", "--num-warmup-batches=4",
         "--data-dir", path("data"), "--data-name=imagenet", "--data-threads=1"},
        {"LD_PRELOAD=" + (library / "libslow_reads.so").string(),
         "SLOW_DIRECTORY=" + fs::canonical(path("data")).string()});
  const Json budget = explained({path("r.json")}).at(0);
  EXPECT_EQ(largest(budget), "input") << budget.dump(1);
  EXPECT_EQ(budget.at("rule"), "input");
  EXPECT_THAT(out_, HasSubstr("for images. Try more --data-threads"));
}

TEST_F(Explain, TextFitsATerminal) {
  const RunResult result = train({"--profile"});
  const Ran ran = run({lockstep_program(), "explain", path("r.json")});
  EXPECT_THAT(ran.out, HasSubstr(result.energy ? " images per joule" : "energy unavailable"));
  ASSERT_THAT(out_, HasSubstr(" of a step computes"));
  // A title of one word: others break where names of kernels are long.
  EXPECT_THAT(out_, HasSubstr("  kernel\n")) << "the table of --profile";
  for (const std::string& text : {ran.out, out_.substr(out_.find(" of a step computes"))}) {
    for (const std::string& line : split(text, '\n')) {
      EXPECT_LE(text_width(line), kTerminalColumns) << line;
    }
  }
}

TEST_F(Explain, ASweepMeasuresComputeWithoutCommunicationInTheSameRounds) {
  const Ran ran = run(sweep({"--num-devices=1,2", "--repeats=2", "--explain"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("trivial:2 on 2 devices: "));
  EXPECT_THAT(ran.out, Not(HasSubstr("independent"))) << "control runs are in no table";
  size_t controls = 0;
  for (const StoredRun& run : read_store(results()).runs) {
    if (run.control) {
      ++controls;
      EXPECT_EQ(run.result.config.variable_update, "independent");
      EXPECT_EQ(run.result.facts.devices, 2);
    }
  }
  EXPECT_EQ(controls, 2u);
  const Json budgets = explained({results()});
  ASSERT_EQ(budgets.size(), 1u);
  const Json& budget = budgets.at(0);
  EXPECT_TRUE(budget.at("by_experiment"));
  double sum = 0;
  for (const Json& part : budget.at("parts")) sum += part.at("fraction").get<double>();
  EXPECT_NEAR(sum, budget.at("lost").get<double>(), 1e-9);
  EXPECT_NEAR(sum, 1 - budget.at("efficiency").get<double>(), 1e-9);
}

TEST_F(Explain, TwoResultsOfTrainAreARunAndItsBase) {
  train({});
  fs::copy(path("r.json"), path("two.json"));
  train({"--num-devices=1"});
  const Json budget = explained({path("two.json"), path("r.json")}).at(0);
  EXPECT_EQ(budget.at("base_devices"), 1);
}

TEST_F(Explain, AResultWithoutAGivenBatchHasThatOfItsNetwork) {
  train({});
  std::ifstream file(path("r.json"));
  Json result = Json::parse(file);
  result["config"]["batch_size"] = 0;
  std::ofstream(path("none.json")) << result;
  EXPECT_EQ(explained({path("none.json")}).at(0).at("label"), "lenet:32 on 2 devices");
}

// As of --graph, which needs a GPU: such a result has no path.
TEST_F(Explain, AnInterruptedResultWithoutAPathIsExplainedAsFarAsItCanBe) {
  const auto write = [&](const std::string& name, const char* status, double rate) {
    std::ifstream file(path("r.json"));
    Json result = Json::parse(file);
    result["config"]["graph"] = true;
    result["critical_path"] = nullptr;
    result["status"] = status;
    if (rate == 0) result["throughput"]["total_images_per_second"] = rate;
    std::ofstream(path(name)) << result;
  };
  const auto explain = [&](const std::vector<std::string>& names) {
    std::vector<std::string> words = {lockstep_program(), "explain"};
    for (const std::string& name : names) words.push_back(path(name));
    return run(words);
  };
  const RunResult two = train({});
  write("two.json", "interrupted", two.throughput.total_images_per_second);
  write("none.json", "interrupted", 0);
  train({"--num-devices=1"});
  write("one.json", "completed", 1);
  EXPECT_THAT(explain({"two.json"}).err, HasSubstr("report no phases; add runs on fewer devices"));
  EXPECT_THAT(explain({"none.json"}).err,
              HasSubstr("every launch was interrupted before its first timed step"));
  const Ran both = explain({"one.json", "two.json"});
  EXPECT_EQ(both.exit_code(), 0) << both.err;
  EXPECT_THAT(both.err, HasSubstr("two.json: interrupted after 30 steps"));
  EXPECT_THAT(both.out, HasSubstr("lenet:32 on 2 devices: "));
  EXPECT_THAT(both.out, HasSubstr("; no phases"));
}

TEST_F(Explain, WhatCannotBeExplainedIsAnInvalidRequest) {
  const auto fails = [&](const std::vector<std::string>& sources, const std::string& why) {
    std::vector<std::string> words = {lockstep_program(), "explain"};
    words.insert(words.end(), sources.begin(), sources.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code(), 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_EQ(ran.out, "");
  };
  fails({}, "explain needs a directory");
  fails({path("nothing")}, "no such file");
  fails({path("nothing.json")}, "cannot read ");
  std::ofstream(path("text.json")) << "text";
  fails({path("text.json")}, "is not JSON");
  train({"--num-devices=1"});
  fails({path("r.json")}, "only runs on one device; add runs of the same network on several");
  const Ran ran = run({lockstep_program(), "simulate", "--cluster=horovod-512", "--model=trivial",
                       "--batch-size=2", "--devices=2", "--images-per-second=1000",
                       "--output=" + path("predicted")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  fails({path("predicted")}, "only predictions");
}

}  // namespace
}  // namespace lockstep
