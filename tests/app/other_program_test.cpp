// An engine of another program: this one becomes that one, arguments and all.
#include "app/other_program.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/reference_kind.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OtherEngine : public ::testing::Test {
 protected:
  int train(const std::string& engine) {
    const EngineKind engines[] = {reference_kind(),
                                  engine_elsewhere("other", {"lockstep-other", "./run other"})};
    std::ostringstream out;
    RunContext context = {{.out = out, .err = err_, .program = (directory_ / "lockstep").string()},
                          engines};
    return run_program(context, std::vector<std::string>{"train", "--engine", engine, "-b", "7"});
  }
  void write_script(const std::string& text) {
    const fs::path script = directory_ / "lockstep-other";
    std::ofstream(script) << "#!/bin/sh\n" << text;
    fs::permissions(script, fs::perms::owner_all);
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
  std::ostringstream err_;
};

TEST_F(OtherEngine, ItsProgramTakesOverWithTheSameArguments) {
  write_script("echo \"$@\" > \"$(dirname \"$0\")/words\"\nexit 42\n");
  const pid_t child = fork();
  if (child == 0) _exit(train("other"));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  std::string words;
  std::ifstream file(directory_ / "words");
  std::getline(file, words);
  EXPECT_EQ(words, "train --engine other -b 7");
}

// A worker was given all options by whoever started it: it must not read files of its host now.
TEST_F(OtherEngine, ItsProgramReadsNoConfigurationWhenThisOneDidNot) {
  write_script("echo \"$LOCKSTEP_DEFAULTS\" > \"$(dirname \"$0\")/words\"\n");
  const pid_t child = fork();
  if (child == 0) {
    setenv(kDefaultsVariable, kNoDefaults, /*overwrite=*/1);
    _exit(train("other"));
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::string words;
  std::ifstream file(directory_ / "words");
  std::getline(file, words);
  EXPECT_EQ(words, kNoDefaults);
}

TEST_F(OtherEngine, WithoutItsProgramTheErrorSaysHowToBuildIt) {
  EXPECT_EQ(train("other"), kUsage);
  EXPECT_THAT(err_.str(), HasSubstr("lockstep-other is not built; './run other' builds it"));
}

TEST_F(OtherEngine, IsListedWhenAnEngineIsUnknown) {
  EXPECT_EQ(train("tensorflow"), kUsage);
  EXPECT_THAT(err_.str(), HasSubstr("--engine must be one of native, other, not 'tensorflow'"));
}

}  // namespace
}  // namespace lockstep
