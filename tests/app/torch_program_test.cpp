// The program lockstep-torch with the LibTorch that it was built for: what it loads, and what it
// says.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class TorchProgram : public ::testing::Test {
 protected:
  struct Outcome {
    int code;
    std::string out, err;
  };

  // One shell line; before the program's name stand environment variables.
  Outcome run(const std::string& line) const {
    const std::string there = temporary_.path().string();
    const int status = std::system(("cd " + there + " && " + line + " >out 2>err").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_in("out"), text_in("err")};
  }
  std::string text_in(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(temporary_.path(name)).rdbuf();
    return text.str();
  }

  TemporaryDirectory temporary_;
};

TEST_F(TorchProgram, TrainsOnTwoDevicesOverGloo) {
  const Outcome outcome =
      run(LOCKSTEP_TORCH_PROGRAM
          " train --engine torch --num-devices 2 --communicator gloo --model lenet --batch-size 4 "
          "--threads 1 --num-warmup-batches 1 --num-batches 5");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\ntotal images/sec: "));
}

struct Binding {
  std::string from, to, symbol;
};

// "  1234:  binding file A [0] to B [0]: normal symbol `S' [VERSION]", as the loader reports it.
std::vector<Binding> gloo_bindings(const std::string& report) {
  std::vector<Binding> bindings;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find("binding file ");
    if (begin == std::string::npos || line.find("4gloo") == std::string::npos) continue;
    std::istringstream words(line.substr(begin));
    std::string skipped;
    Binding binding;
    words >> skipped >> skipped >> binding.from >> skipped >> skipped >> binding.to;
    words >> skipped >> skipped >> skipped >> binding.symbol;
    bindings.push_back(binding);
  }
  return bindings;
}

TEST_F(TorchProgram, NeverCallsTheGlooInsideLibTorch) {
  const Outcome outcome =
      run("LD_BIND_NOW=1 LD_DEBUG=bindings " LOCKSTEP_TORCH_PROGRAM " --version");
  ASSERT_EQ(outcome.code, 0);
  int own = 0;
  for (const Binding& binding : gloo_bindings(outcome.err)) {
    if (!binding.from.ends_with("/lockstep-torch") && !binding.from.ends_with("/libgloo.so.0")) {
      continue;
    }
    EXPECT_THAT(binding.to, ::testing::Not(HasSubstr("libtorch"))) << binding.symbol;
    ++own;
  }
  EXPECT_GT(own, 100) << "the loader's report was not understood";
}

TEST_F(TorchProgram, SharesOneOpenMPRuntimeWithLibTorch) {
  const Outcome outcome = run("ldd " LOCKSTEP_TORCH_PROGRAM);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  int runtimes = 0;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    for (const char* name : {"libgomp", "libomp", "libiomp5"}) {
      if (line.find(std::string(name) + "-") != std::string::npos ||
          line.find(std::string(name) + ".so") != std::string::npos) {
        ++runtimes;
      }
    }
  }
  EXPECT_EQ(runtimes, 1) << outcome.out;
}

TEST_F(TorchProgram, SaysWhichLibTorchItWasBuiltFor) {
  const Outcome outcome = run(LOCKSTEP_TORCH_PROGRAM " --version");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      MatchesRegex("lockstep [0-9.]+\n(revision: .*\n)?torch: LibTorch " TORCH_VERSION ", .*\n"));
}

TEST_F(TorchProgram, RefusesAnotherLibTorchInOneLine) {
  const std::string other = "LD_PRELOAD=" OTHER_LIBTORCH " " LOCKSTEP_TORCH_PROGRAM;
  const std::string line = "lockstep: " OTHER_LIBTORCH
                           " is LibTorch 2.99.1, but this program was built for " TORCH_VERSION
                           "; build it again: ./run torch\n";
  const Outcome version = run(other + " --version");
  EXPECT_EQ(version.code, 1);
  EXPECT_EQ(version.err, line);
  const Outcome train = run(other + " train --model lenet --num-batches 1");
  EXPECT_EQ(train.code, 1);
  EXPECT_EQ(train.err, line);
}

}  // namespace
}  // namespace lockstep
