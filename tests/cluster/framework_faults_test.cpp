// `train --framework` under mpirun and Slurm: however a framework fails, the run ends with the
// reason and leaves nothing behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "cluster/slurm_cluster.h"
#include "framework/frameworks.h"
#include "process/processes.h"
#include "support/leaks.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Framework& framework() { return frameworks().front(); }
std::string real_python() { return framework_python(framework().name); }

// Two ranks by mpirun, on this machine.
class ByMpirun : public ::testing::Test {
 protected:
  static constexpr const char* kRankOne = "OMPI_COMM_WORLD_RANK=1";

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  Ran launch(const std::vector<std::string>& train, const std::function<void()>& when) const {
    std::vector<std::string> words = {"env", "--chdir=" + directory_.string(), kLeaksOfOpenMpi};
    words.insert(words.end(), train.begin(), train.end());
    words.insert(words.end(), {"--launcher=mpirun", "-g2"});
    return run_to_its_end(words, when);
  }

 private:
  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

// Two tasks of one srun, on two nodes.
class BySlurm : public SlurmCluster {
 protected:
  static constexpr const char* kRankOne = "SLURM_PROCID=1";

  Ran launch(const std::vector<std::string>& train, const std::function<void()>& when) const {
    std::vector<std::string> words = {"srun", "--nodes=2", "--ntasks=2"};
    words.insert(words.end(), train.begin(), train.end());
    return run_on_host(words, when);
  }
};

template <typename Launcher>
class FrameworkFaults : public Launcher {
 protected:
  void SetUp() override {
    if (!fs::exists(real_python())) {
      GTEST_SKIP() << "no " << framework().title << "; './run frameworks " << framework().name
                   << "' installs it";
    }
    Launcher::SetUp();
  }

  std::string mark() const { return "FRAMEWORK_TEST=" + this->path(""); }
  // `python`: lines of a shell script, which is the Python of the run.
  Ran train(const std::string& python, const std::vector<std::string>& more,
            const std::function<void()>& when = {}) const {
    std::ofstream(this->path("python")) << "#!/bin/sh\n" << python << "\n";
    fs::permissions(this->path("python"), fs::perms::owner_all);
    std::vector<std::string> words = {
        lockstep_program(),
        "train",
        "--model=lenet",
        "--batch-size=4",
        "--threads=1",
        "--num-warmup-batches=2",
        "--display-every=1",
        "--stall-timeout=20",
        fmt::format("--framework={}:{}", framework().name, framework().modes[0]),
        "--python=" + this->path("python")};
    words.insert(words.end(), more.begin(), more.end());
    return this->launch(words, when);
  }
  std::string marked_python() const {
    return fmt::format("{} exec {} \"$@\"", mark(), real_python());
  }
  // Once all train, the Python of rank 1 gets a signal.
  Ran train_and_signal(int signal) const {
    return train(marked_python(), {"--num-batches=20000"}, [&] {
      const std::vector<pid_t> victims = processes_with(mark(), Launcher::kRankOne);
      EXPECT_FALSE(victims.empty());
      for (const pid_t victim : victims) kill(victim, signal);
    });
  }
  void expect_end(const Ran& ran, const std::string& reason) const {
    EXPECT_NE(ran.exit_code(), 0);
    EXPECT_THAT(ran.err, HasSubstr(reason));
    for (const pid_t process : processes_with(mark())) EXPECT_TRUE(ends_soon(process));
  }
};

using Launchers = ::testing::Types<ByMpirun, BySlurm>;
TYPED_TEST_SUITE(FrameworkFaults, Launchers);

TYPED_TEST(FrameworkFaults, AKilledFrameworkEndsTheRun) {
  this->expect_end(this->train_and_signal(SIGKILL), "signal 9");
}

TYPED_TEST(FrameworkFaults, AHungFrameworkEndsTheRunAfterTheTimeout) {
  this->expect_end(this->train_and_signal(SIGSTOP), "--stall-timeout is 20 s");
}

TYPED_TEST(FrameworkFaults, AMissingModuleIsNamedWithTheWayToGetIt) {
  const std::string error = fmt::format(
      "echo \"ModuleNotFoundError: No module named '{}'\" >&2; exit 1", framework().module);
  this->expect_end(this->train(error, {"--num-batches=6"}), std::string(framework().install));
}

TYPED_TEST(FrameworkFaults, ALossThatIsNotANumberEndsTheRun) {
  this->expect_end(
      this->train(this->marked_python(), {"--num-batches=6", "--init-learning-rate=1e30"}),
      "is not a number");
}

}  // namespace
}  // namespace lockstep
