#include "external/definition_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/error.h"
#include "external/ready_programs.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> all_problems(const std::string& text) {
  const ReadProgram read = read_program(text, "x.toml");
  std::vector<std::string> problems = read.problems;
  const std::vector<std::string> more = problems_in(read.program);
  problems.insert(problems.end(), more.begin(), more.end());
  return problems;
}

const std::string kGood = R"(
command = ["run", "{model}", "--b={batch_size}", ["--data", "{data_dir}"]]
[output]
total = 'total: (\S+)'
)";

TEST(ProgramFile, ReadsEveryKey) {
  const ReadProgram read = read_program(R"(
description = "words"
command = ["run", ["--data", "{data_dir}"], "{model}", "{batch_size}"]
mpirun = ["mpiexec", "-n", "{size}"]
servers = 3
directory = "/tmp"
timeout_seconds = 12
silence_seconds = 2.5
[start]
default = "per_device"
horovod = "mpirun"
parameter_server = ["single", "roles"]
[env]
A = "{rank}"
[names.model]
resnet50 = "ResNet50"
[fixed]
optimizer = "momentum"
[fixed_on.cpu]
data_format = "NHWC"
[output]
step = 'a (\d+)'
step_is = "running_mean"
step_of = "device"
loss = 'l (\S+)'
phase_unit = "milliseconds"
phases.forward = 'f (\S+)'
total = 'b (\d+)'
total_of = "device"
lines = "median"
workers = "sum"
skip_steps = 2
enough_steps = 20
[success]
exit_code = 3
line = 'done'
[failure]
line = 'nan'
)",
                                        "x.toml");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(problems_in(read.program), IsEmpty());
  const Program& program = read.program;
  EXPECT_EQ(program.command[1], (ProgramArgument{{"--data", "{data_dir}"}, true}));
  EXPECT_EQ(program.mpirun.size(), 3u);
  EXPECT_EQ(program.servers, 3);
  EXPECT_EQ(start_way(program, {.variable_update = "horovod"}), StartWay::Mpirun);
  EXPECT_EQ(start_way(program, {.variable_update = "replicated"}), StartWay::PerDevice);
  const std::string server = "parameter_server";
  EXPECT_EQ(start_way(program, {.variable_update = server}), StartWay::Single);
  EXPECT_EQ(start_way(program, {.num_devices = 2, .variable_update = server}), StartWay::Roles);
  EXPECT_EQ(program.names.at("model").at("resnet50"), "ResNet50");
  EXPECT_EQ(program.fixed.at("optimizer"), "momentum");
  EXPECT_EQ(program.output.step_is, StepMeaning::RunningMean);
  EXPECT_EQ(program.output.step_of, RateOf::Device);
  EXPECT_EQ(program.output.total_of, RateOf::Device);
  EXPECT_EQ(program.output.loss, "l (\\S+)");
  EXPECT_EQ(program.output.phases.at("forward"), "f (\\S+)");
  EXPECT_EQ(program.output.phase_unit, PhaseUnit::Millisecond);
  EXPECT_EQ(program.fixed_on.at("cpu").at("data_format"), "NHWC");
  EXPECT_EQ(program.output.lines, CombineLines::Median);
  EXPECT_EQ(program.output.workers, CombineWorkers::Sum);
  EXPECT_EQ(program.output.enough_steps, 20);
  EXPECT_EQ(program.exit_code, 3);
  EXPECT_EQ(program.required_line, "done");
  EXPECT_EQ(program.forbidden_line, "nan");
  EXPECT_EQ(program.silence_seconds, 2.5);
}

TEST(ProgramFile, AValidFileHasNoProblems) { EXPECT_THAT(all_problems(kGood), IsEmpty()); }

TEST(ProgramFile, AllMistakesAreReportedAtOnceWithTheirLines) {
  const std::vector<std::string> problems = all_problems(R"(comand = ["run"]
command = ["run", 7]
start = "sometimes"
timeout_seconds = -1
servers = "two"
[output]
step = 'no group'
total = '(unclosed'
lines = "first"
[env]
A = "{modle}"
[fixed]
colour = "blue"
)");
  EXPECT_THAT(problems,
              Contains(StartsWith("x.toml:1: unknown key comand; did you mean command?")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:2: command must be a list of strings")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:3: start must be one of single, per_device")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:4: timeout_seconds must be a number above 0")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:5: servers must be a whole number")));
  EXPECT_THAT(problems,
              Contains(HasSubstr("x.toml:7: output.step: 'no group' has no group for the number")));
  EXPECT_THAT(problems,
              Contains(HasSubstr("x.toml:8: output.total: '(unclosed' is not a valid regular")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:9: output.lines must be one of last, mean")));
  EXPECT_THAT(problems, Contains(HasSubstr("x.toml:11: env.A: unknown placeholder {modle}; "
                                           "did you mean {model}?")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:13: fixed.colour is not a run option")));
}

TEST(ProgramFile, MistakesInsideTablesNameTheirLines) {
  const std::vector<std::string> problems = all_problems(R"(command = ["run", "{threads*modle}"]
env.A = "{threads*}"
[start]
horovod = ["single"]
replicated = ["single", "often"]
[fixed_on.tpu]
colour = "blue"
[output]
total = '(.)'
loss = 'no group'
[output.phases]
sleep = '(.)'
)");
  EXPECT_THAT(problems, Contains("x.toml:1: command: unknown placeholder {modle}; did you mean "
                                 "{model}?"));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:2: env.A: '{threads*}' is neither")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:4: start.horovod must be one start mode, or")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:5: start.replicated must be one of single")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:6: fixed_on.tpu is not a device; use one of")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:7: fixed_on.tpu.colour is not a run option")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:10: output.loss: 'no group' has no group")));
  EXPECT_THAT(problems, Contains(StartsWith("x.toml:12: output.phases.sleep is not a phase; use")));
}

TEST(ProgramFile, BrokenTomlIsOneProblemWithItsLine) {
  EXPECT_THAT(read_program("a = 1\nb = [", "x.toml").problems,
              ElementsAre(StartsWith("x.toml:2: ")));
}

TEST(ProgramFile, ModelAndBatchSizeMustBeKnown) {
  const std::string output = "\n[output]\ntotal = '(.*)'\n";
  EXPECT_THAT(all_problems("command = ['run', '{model}']" + output),
              ElementsAre(HasSubstr("has no {batch_size}")));
  EXPECT_THAT(
      all_problems("command = ['run']\n[fixed]\nmodel = 'vgg16'\nbatch_size = '64'" + output),
      IsEmpty());
}

TEST(ProgramFile, AThroughputPatternIsRequired) {
  EXPECT_THAT(all_problems("command = ['run', '{model}', '{batch_size}']"),
              ElementsAre(HasSubstr("needs 'total' or 'step'")));
  EXPECT_THAT(
      all_problems("command = ['{model}', '{batch_size}']\n[output]\nstep = '(.)'\nstep_is = "
                   "'running_mean'\nlines = 'mean'"),
      ElementsAre(HasSubstr("output.lines must be 'last'")));
}

TEST(ReadyPrograms, AreAllWithoutMistakes) {
  EXPECT_GE(ready_programs().size(), 5u);
  for (const ReadyProgram& ready : ready_programs()) {
    const Program program = load_program(std::string(ready.name));
    EXPECT_EQ(program.name, ready.name);
    EXPECT_NE(program.description, "");
  }
}

TEST(ReadyPrograms, RunInThePythonThatIsChosen) {
  for (const ReadyProgram& ready : ready_programs()) {
    const Program program = load_program(std::string(ready.name));
    EXPECT_EQ(program.command.front().words.front(), "{python}") << ready.name;
  }
}

TEST(ReadyPrograms, AnUnknownNameListsThemAll) {
  try {
    load_program("tf_benchmarks");
    FAIL();
  } catch (const UsageError& error) {
    for (const ReadyProgram& ready : ready_programs()) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(ready.name)));
    }
  }
  EXPECT_THROW(load_program("no/such.toml"), UsageError);
  EXPECT_THROW(load_program("/"), UsageError);
}

TEST(ReadyPrograms, ExamplesKnowTheirFolder) {
  for (const auto& file : std::filesystem::directory_iterator(project_path("examples"))) {
    if (file.path().extension() != ".toml") continue;
    EXPECT_EQ(load_program(file.path()).folder, project_path("examples"));
  }
}

}  // namespace
}  // namespace lockstep
