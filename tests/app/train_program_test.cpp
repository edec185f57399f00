// `train --program` and `compare` as a user types them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/json.h"
#include "report/results/run_result.h"
#include "support/command_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class External : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  // A program that is a shell script.
  std::string definition(const std::string& script, const std::string& more = "") const {
    std::ofstream(path("script.sh")) << script;
    std::ofstream(path("program.toml"))
        << "command = ['/bin/sh', '{here}/script.sh', '{model}', '{batch_size}', '{rank}']\n"
        << more
        << "\n[output]\nstep = 'step (?P<step>\\d+): (?P<value>\\S+)'\n"
           "total = '^total (\\S+)'\nworkers = 'sum'\n";
    return path("program.toml");
  }

  Outcome train(const std::string& program, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"train",        "--program", program,    "--model=ResNet-50",
                                      "--batch-size", "8",         "--result", path("r.json")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  void expect_failure(const Outcome& outcome, const std::string& why) const {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("lockstep: program program: " + why));
    EXPECT_THAT(outcome.out, Not(HasSubstr("total images/sec")));
    const RunResult result = read_result(path("r.json"));
    EXPECT_EQ(result.status, RunStatus::Failed);
    EXPECT_THAT(result.error.value_or(""), HasSubstr(why));
    EXPECT_TRUE(std::isnan(result.throughput.total_images_per_second));
    EXPECT_TRUE(std::isnan(result.summary.images_per_second));
    EXPECT_TRUE(result.steps.empty());
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(External, NumbersOfAnotherProgramBecomeAResult) {
  const Outcome outcome = train(definition(
      "echo model $1 batch $2; for i in 1 2 3; do echo step $i: 10$i; done; echo total 102.5"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("total images/sec: 102.50\n"));
  EXPECT_THAT(outcome.err, HasSubstr("[program] step 2: 102\n"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("model resnet50")));
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.origin, "program program");
  EXPECT_EQ(result.status, RunStatus::Completed);
  EXPECT_EQ(result.facts.model, "resnet50");
  EXPECT_EQ(result.throughput.total_images_per_second, 102.5);
  ASSERT_EQ(result.steps.size(), 3u);
  EXPECT_NEAR(result.steps[0].duration.count(), 8 / 101.0, 1e-12);
  ASSERT_TRUE(result.program);
  EXPECT_EQ(result.program->step_lines.at(2).step, 3);
  EXPECT_EQ(result.program->commands.at(0).at(2), "resnet50");
}

TEST_F(External, EveryLineIsShownOnRequest) {
  const Outcome outcome = train(definition("echo model $1; echo total 1"), {"--verbose"});
  EXPECT_THAT(outcome.err, HasSubstr("[program] model resnet50\n"));
}

TEST_F(External, WorkersAreStartedForEveryDeviceAndAddedUp) {
  const std::string program =
      definition("echo step 1: 1$3; echo total 1$3", "start = 'per_device'\n");
  const Outcome outcome = train(program, {"--num-devices=3", "--log-dir", path("logs")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("total images/sec: 33.00\n"));
  EXPECT_THAT(outcome.out, HasSubstr("24 global\n"));
  EXPECT_TRUE(fs::exists(path("logs/worker-2.log")));
}

TEST_F(External, OutputThatNeverMatchesIsAFailureWithTheLastLines) {
  const Outcome outcome = train(definition("for i in $(seq 50); do echo line $i; done"));
  expect_failure(outcome, "no output line matches '^total (\\S+)'");
  EXPECT_THAT(outcome.err, HasSubstr("last lines of its output:\n  line 31\n"));
  EXPECT_THAT(outcome.err, HasSubstr("  line 50\n"));
  EXPECT_EQ(read_result(path("r.json")).program->last_lines.size(), 20u);
}

TEST_F(External, AnExitCodeIsAFailureWhateverWasPrinted) {
  expect_failure(train(definition("echo total 100; echo broken >&2; exit 9")),
                 "program ended with exit code 9");
}

TEST_F(External, AHangIsAFailure) {
  expect_failure(train(definition("echo total 100; exec sleep 1000"), {"--program-timeout=0.5"}),
                 "timeout after");
}

TEST_F(External, SilenceIsAFailure) {
  expect_failure(train(definition("exec sleep 1000", "silence_seconds = 0.3\n")),
                 "timeout: no output for");
}

TEST_F(External, APartialLineIsAFailure) {
  expect_failure(train(definition("printf 'total 10'")), "no output line matches");
}

TEST_F(External, AMillionLinesWithoutANumberAreAFailure) {
  expect_failure(train(definition("seq 1000000")), "no output line matches");
}

TEST_F(External, GarbageIsAFailureThatJsonCanHold) {
  expect_failure(train(definition("head -c 100000 /dev/urandom")), "no output line matches");
}

TEST_F(External, ASilentProgramIsAFailure) {
  const Outcome outcome = train(definition("exit 0"));
  expect_failure(outcome, "no output line matches");
  EXPECT_THAT(outcome.err, HasSubstr("the program printed nothing"));
}

TEST_F(External, AMissingProgramIsAFailure) {
  std::ofstream(path("program.toml"))
      << "command = ['no-such-benchmark', '{model}', '{batch_size}']\n[output]\ntotal = '(.*)'\n";
  expect_failure(train(path("program.toml")), "cannot start program: program ");
}

TEST_F(External, AMissingWorkerIsAFailureOfTheSum) {
  expect_failure(train(definition("[ $3 = 0 ] && echo total 10; exit 0", "start = 'per_device'\n"),
                       {"--num-devices=2"}),
                 "1 of 2 workers reported a throughput");
}

TEST_F(External, MistakesAreUsageErrorsBeforeAnythingStarts) {
  std::ofstream(path("bad.toml")) << "command = [1]\ncolour = 2\n";
  const Outcome bad = train(path("bad.toml"));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.toml:1: command must be a list of strings"));
  EXPECT_THAT(bad.err, HasSubstr("bad.toml:2: unknown key colour; use one of"));
  EXPECT_FALSE(fs::exists(path("r.json")));
  EXPECT_EQ(train("unknown_program").code, 2);
  const Outcome unheard = train(definition("echo total 1"), {"--optimizer=adam"});
  EXPECT_EQ(unheard.code, 2);
  EXPECT_THAT(unheard.err, HasSubstr("--optimizer adam"));
}

TEST_F(External, ResultsCanBeCompared) {
  const std::string steps = "for i in $(seq 60); do echo step $i: ";
  ASSERT_EQ(train(definition(steps + "100.$((i % 7)); done; echo total 100.3")).code, 0);
  fs::rename(path("r.json"), path("a.json"));
  ASSERT_EQ(train(definition(steps + "110.$((i % 7)); done; echo total 110.3")).code, 0);
  fs::rename(path("r.json"), path("b.json"));

  const Outcome table = run({"compare", path("a.json"), path("b.json")});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("b.json is faster than a.json: 1.1"));
  const Outcome sides = run({"compare", "--a", path("b.json"), "--b", path("a.json"), "--json"});
  EXPECT_EQ(Json::parse(sides.out).at("comparisons").at(0).at("verdict"), "slower");
  const Outcome lax = run({"compare", path("a.json"), path("b.json"), "--threshold", "20 %"});
  EXPECT_THAT(lax.out, HasSubstr("b.json against a.json: no significant difference"));
  EXPECT_THAT(run({"compare", path("a.json"), path("b.json"), "--markdown"}).out,
              StartsWith("| run |"));
}

TEST_F(External, CompareRejectsRunsThatCannotBeCompared) {
  ASSERT_EQ(train(definition("echo total 10")).code, 0);
  fs::rename(path("r.json"), path("a.json"));
  ASSERT_EQ(train(definition("echo total 10"), {"--batch-size=9"}).code, 0);
  const Outcome refused = run({"compare", path("a.json"), path("r.json")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("batch size per device: 8, 9"));
  EXPECT_EQ(run({"compare", path("a.json"), path("r.json"), "--allow-different-work"}).code, 0);
  train(definition("exit 1"));
  EXPECT_THAT(run({"compare", path("a.json"), path("r.json")}).err, HasSubstr("is a failed run"));
  EXPECT_EQ(run({"compare", path("a.json")}).code, 2);
  EXPECT_EQ(run({"compare", path("a.json"), path("none.json")}).code, 2);
  EXPECT_EQ(run({"compare", path("a.json"), path("a.json"), "--threshold=x"}).code, 2);
}

}  // namespace
}  // namespace lockstep
