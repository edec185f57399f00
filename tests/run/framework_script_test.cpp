// `train --framework` with a script of the user, which says what it does on lines of its own.
#include <fstream>

#include "report/results/results_store.h"
#include "report/results/run_result.h"
#include "run/framework_process.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// What lockstep finds in place of a framework: a script of the user that says these events.
class ScriptRuns : public FrameworkProcess {
 protected:
  static constexpr const char* kHello =
      R"(echo '@lockstep/1 {"event": "hello", "framework": "mine", "version": "1"}')";
  static constexpr const char* kDone = R"(echo '@lockstep/1 {"event": "done"}')";
  static std::string steps(int count) {
    return fmt::format(R"(for i in $(seq {}); do
      echo "@lockstep/1 {{\"event\": \"step\", \"step\": $i, \"begin\": $i, \"end\": $i.5}}"
    done)",
                       count);
  }
  Ran run_script(const std::string& events, const std::vector<std::string>& more = {}) const {
    std::ofstream(path("mine.py")) << "# run by a shell here\n";
    std::vector<std::string> words = {"--framework=./mine.py", "--python", script(events)};
    words.insert(words.end(), more.begin(), more.end());
    return run(train(words));
  }
};

TEST_F(ScriptRuns, AScriptThatDoesAllIsMeasured) {
  const Ran ran = run_script(fmt::format("{}\n{}\n{}", kHello, steps(8), kDone));
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
}

TEST_F(ScriptRuns, AScriptThatEndsEarlyFailsAlthoughItsExitCodeIsZero) {
  const std::pair<std::string, const char*> cases[] = {
      {fmt::format("{}\n{}\n{}", kHello, steps(5), kDone), "the script ended after 5 of 8 steps"},
      {fmt::format("{}\n{}\n{}", kHello, steps(0), kDone), "the script ended after 0 of 8 steps"},
      {fmt::format("{}\n{}\n{}", kHello, steps(9), kDone), "the script ended after 9 of 8 steps"},
      {fmt::format("{}\n{}", kHello, steps(8)), "the script ended without a 'done' event"},
      {fmt::format("{}\n{}", steps(8), kDone), "the script ended without a 'hello' event"}};
  for (const auto& [events, message] : cases) {
    const Ran ran = run_script(events);
    EXPECT_EQ(ran.exit_code(), 1) << message;
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

// TensorFlow, for one, writes code there and is not always given the time to remove it.
TEST_F(ScriptRuns, TemporaryFilesOfAFailedScriptAreRemoved) {
  const Ran ran =
      run_script(fmt::format("touch $TMPDIR/mine\necho $TMPDIR/mine > {}\nexit 1", path("where")));
  EXPECT_EQ(ran.exit_code(), 1);
  std::string file;
  std::ifstream(path("where")) >> file;
  EXPECT_TRUE(file.ends_with("/mine")) << file;
  EXPECT_FALSE(std::filesystem::exists(file)) << file;
}

// As two hosts may have them.
TEST_F(ScriptRuns, TwoVersionsInOneRunFail) {
  const std::string hello =
      R"(echo '@lockstep/1 {"event": "hello", "framework": "m", "version": "'$LOCKSTEP_RANK'.9"}')";
  const Ran ran = run_script(fmt::format("{}\n{}\n{}", hello, steps(8), kDone),
                             {"--num-devices=2", "--threads=1"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("the script is version 1.9 on rank 1"));
  EXPECT_THAT(ran.err, HasSubstr("but 0.9 on rank 0"));
}

TEST_F(ScriptRuns, AScriptOnAnotherDeviceFails) {
  const Ran ran = run_script(
      R"(echo '@lockstep/1 {"event": "hello", "framework": "m", "version": "1", "device": "cuda:0"}')");
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("the script computes on cuda:0, not on cpu"));
}

// The survey asks for a version, which this python does not know.
TEST_F(ScriptRuns, AScriptTakesPartInASweep) {
  std::ofstream(path("mine.py")) << "# run by a shell here\n";
  const std::string python = script(fmt::format(
      "[ \"$1\" = -c ] && {{ echo 3; echo cpu; exit; }}\n{}\n{}\n{}", kHello, steps(4), kDone));
  const Ran ran =
      run({lockstep_program(), "sweep", "--frameworks=lockstep,./mine.py", "--python=" + python,
           "--models=lenet:4", "--num-batches=3", "--num-warmup-batches=1", "--repeats=2",
           "--num-devices=1", "--threads=1", "--output=" + path("out")});
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  int measured = 0;
  for (const StoredRun& run : read_store(path("out")).runs) {
    measured += run.measured() && run.result.config.framework == "./mine.py" ? 1 : 0;
  }
  EXPECT_EQ(measured, 2);
}

// A number may be of numpy, or a tensor. JSON has neither these nor "nan".
TEST_F(ScriptRuns, AScriptReportsNumbersAsItHasThem) {
  const std::pair<std::string, const char*> cases[] = {
      {"Scalar(0.5)", ""},
      {"float('nan')", "the loss of step 1 is not a number"},
      {"Scalar(float('-inf'))", "the loss of step 1 is not a number"}};
  for (const auto& [loss, message] : cases) {
    std::ofstream(path("mine.py")) << fmt::format(R"py(import sys
from lockstep_job import Job, report
class Scalar:
    def __init__(self, value): self.value = value
    def __float__(self): return self.value
report("hello", framework="mine", version="1")
for step in range(1, 1 + Job(sys.argv[1]).steps):
    report("step", step=step, begin=step, end=Scalar(step + 0.5), loss={})
report("done")
)py",
                                                  loss);
    const Ran ran = run(train({"--framework=./mine.py", "--python=python3"}));
    EXPECT_EQ(ran.exit_code(), *message == '\0' ? 0 : 1) << loss << "\n" << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message)) << loss;
  }
}

}  // namespace
}  // namespace lockstep
