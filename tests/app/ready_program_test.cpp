// A ready-made definition, started for real on a stand-in for its program: roles, servers without
// end, the choice of Python, environment, losses.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "report/results/run_result.h"
#include "support/command_runs.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReadyProgram : public ::testing::Test {
 protected:
  Outcome train(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"train",
                                      "--program=tf_cnn_benchmarks",
                                      "--program-dir=" + project_path("tests/external/stand_in"),
                                      "--model=resnet50",
                                      "--batch-size=8",
                                      "--num-batches=20",
                                      "--result=" + temporary_.path("r.json"),
                                      "--program-timeout=120",
                                      "--verbose"};
    words.insert(words.end(), more.begin(), more.end());
    const EngineKind engines[] = {reference_kind()};
    std::ostringstream out, err;
    RunContext context = {
        {.out = out, .err = err, .program = "/proc/self/exe", .environment = environment_},
        engines};
    const int code = run_program(context, words);
    return {code, out.str(), err.str()};
  }
  RunResult result() const { return read_result(temporary_.path("r.json")); }

  // A Python that says that it was used.
  std::string python_in(const std::string& directory) const {
    const fs::path folder = temporary_.path(directory) + "/bin";
    fs::create_directories(folder);
    std::ofstream(folder / "python3")
        << "#!/bin/sh\necho this is " << directory << "\nexec python3 \"$@\"\n";
    fs::permissions(folder / "python3", fs::perms::owner_all);
    return folder / "python3";
  }

  TemporaryDirectory temporary_;
  Environment environment_ = [](const std::string&) { return std::nullopt; };
};

TEST_F(ReadyProgram, RunsOneProcessForOneDevice) {
  const Outcome outcome = train({"--variable-update=parameter_server", "--threads=3"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[tf_cnn_benchmarks] Threads:     3\n"));
  EXPECT_THAT(outcome.err, HasSubstr("[tf_cnn_benchmarks] Operators:   1\n"));
  EXPECT_EQ(result().program->commands.size(), 1u);
  EXPECT_EQ(result().config.data_format, "NHWC");
  EXPECT_EQ(result().throughput.total_images_per_second, 120);
  EXPECT_EQ(result().last_loss, 2.5);
}

TEST_F(ReadyProgram, EndsAServerWithoutEndWhenAllWorkersAreDone) {
  for (const char* update : {"parameter_server", "distributed_replicated"}) {
    const Outcome outcome =
        train({"--num-devices=2", "--threads=2", std::string("--variable-update=") + update});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("[server 0] Running parameter server 0\n"));
    EXPECT_THAT(outcome.err, HasSubstr("[worker 1] Threads:     2\n"));
    EXPECT_EQ(result().facts.servers, 1);
    EXPECT_EQ(result().throughput.total_images_per_second, (240 + 242) / 2.0);
  }
}

TEST_F(ReadyProgram, OneProcessDrivesTwoDevicesWithTheThreadsOfBoth) {
  const Outcome outcome = train({"--num-devices=2", "--threads=2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[tf_cnn_benchmarks] Threads:     4\n"));
  EXPECT_THAT(outcome.err, HasSubstr("[tf_cnn_benchmarks] Operators:   2\n"));
  EXPECT_THAT(result().program->commands.at(0), Contains("--num_gpus=2"));
}

TEST_F(ReadyProgram, StepLinesAreOfTheWorkerThatPrintsThem) {
  ASSERT_EQ(train({"--num-devices=2", "--variable-update=parameter_server"}).code, 0);
  const RunResult run = result();
  EXPECT_EQ(run.program->step_lines_of, "worker");
  ASSERT_EQ(run.program->step_lines.size(), 6u);
  for (const ProgramReading& line : run.program->step_lines) {
    EXPECT_EQ(line.images_per_second, 100.0 + *line.step + (line.worker == "1" ? 1 : 0));
    EXPECT_EQ(line.loss, 2.5);
  }
  // Of both workers together, steps 1 to 10 and 11 to 20.
  ASSERT_EQ(run.steps.size(), 2u);
  EXPECT_NEAR(16 / run.steps[0].duration.count(), 110 + 111, 1e-9);
  EXPECT_NEAR(16 / run.steps[1].duration.count(),
              10 / (20 / 120.0 - 10 / 110.0) + 10 / (20 / 121.0 - 10 / 111.0), 1e-9);
  EXPECT_TRUE(std::isnan(run.summary.mean_phases[0]));
}

TEST_F(ReadyProgram, ALossThatIsNotFiniteFailsTheRunAndNamesTheStep) {
  const Outcome outcome = train({"--init-learning-rate=10"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("program tf_cnn_benchmarks: worker 0: the loss is nan at "
                                     "step 10\n"));
  EXPECT_EQ(result().status, RunStatus::Failed);
}

TEST_F(ReadyProgram, UsesThePythonOfTheOptionElseOfTheEnvironment) {
  const std::string own = python_in("own"), active = python_in("active");
  environment_ = [&](const std::string& name) {
    return name == "VIRTUAL_ENV" ? std::optional(temporary_.path("active")) : std::nullopt;
  };
  EXPECT_THAT(train({}).err, HasSubstr("] this is active\n"));
  EXPECT_EQ(result().program->commands.at(0).at(0), active);
  EXPECT_THAT(train({"--python", own}).err, HasSubstr("] this is own\n"));
  EXPECT_THAT(train({"--python", "tf_cnn_benchmarks=" + own}).err, HasSubstr("] this is own\n"));
  EXPECT_THAT(train({"--python", "horovod_pytorch=" + own}).err, HasSubstr("] this is active\n"));
}

TEST_F(ReadyProgram, WhatItDoesNotSupportIsOneLineThatNamesIt) {
  const Outcome outcome = train({"--variable-update=distributed_all_reduce"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, StartsWith("lockstep: --variable-update distributed_all_reduce: not "
                                      "supported by tf_cnn_benchmarks; use one of "));
  EXPECT_THAT(train({"--nesterov"}).err, Not(HasSubstr("\nlockstep")));
}

}  // namespace
}  // namespace lockstep
