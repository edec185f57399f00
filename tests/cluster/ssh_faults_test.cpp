// What goes wrong on hosts, done to them for real: a run ends by itself, says where and why, and
// leaves nothing behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <fstream>

#include "cluster/processes_in.h"
#include "cluster/ssh_cluster.h"
#include "process/processes.h"
#include "report/results/run_result.h"
#include "support/paths.h"
#include "support/wait_until.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SshFaults : public SshCluster {
 protected:
  Ran launch_long(const std::vector<std::string>& more, const std::function<void()>& fault) {
    std::vector<std::string> words = {"--hosts=host1,host2", "--num-batches=1000000",
                                      "--stall-timeout=5"};
    words.insert(words.end(), more.begin(), more.end());
    return launch(words, fault);
  }

  bool has_run_directory(int host) const {
    return std::ranges::any_of(
        fs::directory_iterator(disk_of(host) + "/programs"),
        [](const auto& entry) { return entry.path().filename().string().starts_with("run-"); });
  }

  void signal_in(int host, const std::string& program, int signal) {
    const std::vector<pid_t> found = without_guards(processes_in(host, program));
    EXPECT_FALSE(found.empty()) << program;
    for (const pid_t process : found) kill(process, signal);
  }
};

TEST_F(SshFaults, AHostThatRefusesSshIsNamed) {
  stop_sshd(2);
  const Ran ran = launch({"--hosts=host1,host2"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: host host2: ssh: connect to host host2 port 22: "
                                 "Connection refused"));
  expect_nothing_left();
}

TEST_F(SshFaults, AllFailedHostsAreReportedTogether) {
  stop_sshd(1);
  stop_sshd(2);
  const Ran ran = launch({"--hosts=host1,host2,nosuchhost"});
  EXPECT_EQ(ran.exit_code(), 1);
  for (const char* host : {"host1", "host2", "nosuchhost"}) {
    EXPECT_THAT(ran.err, HasSubstr(fmt::format("lockstep: host {}: ssh: ", host)));
  }
  EXPECT_FALSE(fs::exists(path("lockstep-runs"))) << "nothing ran, so there are no logs";
}

TEST_F(SshFaults, AnUnresolvableHostMayBeMeantAsAFile) {
  const Ran ran = launch({"--hosts=nodes"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("; no file 'nodes' either\n"));
}

TEST_F(SshFaults, AHostThatCannotBeReachedIsNamed) {
  hosts_->cut(2);
  const Ran ran = launch({"--hosts=host1,host2"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: host host2: ssh: connect to host host2"));
  expect_nothing_left();
}

TEST_F(SshFaults, AHostWithAnotherKeyIsNotTrusted) {
  fs::remove(path("known_hosts"));
  const Ran ran = launch({"--hosts=host1"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: host host1: Host key verification failed"));
  EXPECT_THAT(ran.err, HasSubstr("--ssh-option StrictHostKeyChecking=accept-new"));
}

TEST_F(SshFaults, AFullDiskIsNamed) {
  const Ran full = run_on(2, {"mount", "-t", "tmpfs", "-o", "size=1m", "none", disk()});
  ASSERT_EQ(full.exit_code(), 0) << full.err;
  const Ran ran = launch({"--hosts=host1,host2"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: host host2: "));
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
  EXPECT_EQ(run_on(2, {"ls", disk() + "/programs"}).out, "");
  expect_nothing_left();
}

TEST_F(SshFaults, AHostThatVanishesEndsTheRun) {
  const Ran ran = launch_long({}, [&] { hosts_->cut(2); });
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("host2"));
  EXPECT_THAT(ran.err, HasSubstr("run stopped"));
  expect_nothing_left();
}

TEST_F(SshFaults, AHostThatHangsEndsTheRun) {
  const Ran ran = launch_long({}, [&] {
    for (const char* program : {"sshd", "lockstep"}) signal_in(2, program, SIGSTOP);
  });
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("host2"));
  EXPECT_THAT(ran.err, HasSubstr("run stopped"));
  for (const char* program : {"sshd", "lockstep"}) {  // it wakes up
    for (const pid_t process : processes_in(2, program)) kill(process, SIGCONT);
  }
  expect_nothing_left();
}

TEST_F(SshFaults, AKilledWorkerEndsTheRunWithItsName) {
  const Ran ran = launch_long({}, [&] { signal_in(2, "lockstep train", SIGKILL); });
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("rank 1"));
  EXPECT_THAT(ran.err, HasSubstr("host2"));
  expect_nothing_left();
}

TEST_F(SshFaults, AKilledAgentEndsTheRun) {
  const Ran ran = launch_long({}, [&] { signal_in(2, "lockstep agent", SIGKILL); });
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("host2"));
  EXPECT_TRUE(wait_until([&] { return !has_run_directory(2); }));
  expect_nothing_left();
}

TEST_F(SshFaults, AStoppedAgentEndsTheRun) {
  const Ran ran = launch_long({}, [&] { signal_in(2, "lockstep agent", SIGSTOP); });
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("host2"));
  EXPECT_TRUE(wait_until([&] { return !has_run_directory(2); }, std::chrono::seconds(60)));
  expect_nothing_left();
}

TEST_F(SshFaults, ARemoteDirectoryThatOthersCanWriteIsRefused) {
  const std::string open = disk() + "/open";
  ASSERT_EQ(run_on(2, {"sh", "-c", "mkdir \"$0\" && chmod 777 \"$0\"", open}).exit_code(), 0);
  const Ran ran = launch({"--hosts=host1,host2", "--remote-dir=" + open});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: host host2: "));
  EXPECT_THAT(ran.err, HasSubstr("/open is writable by everyone"));
  EXPECT_EQ(run_on(2, {"ls", open}).out, "");
}

TEST_F(SshFaults, AKilledLauncherEndsAllProcesses) {
  const Ran ran = launch_long({}, [&] { signal_in(0, "lockstep train", SIGKILL); });
  EXPECT_NE(ran.exit_code(), 0);
  expect_nothing_left();
}

TEST_F(SshFaults, AnInterruptedRunReportsItsPartialResult) {
  const Ran ran =
      launch_long({"--result", path("r.json")}, [&] { signal_in(0, "lockstep train", SIGINT); });
  EXPECT_EQ(ran.exit_code(), 130) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  ASSERT_TRUE(fs::exists(path("r.json"))) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).status, RunStatus::Interrupted);
  expect_nothing_left();
}

TEST_F(SshFaults, ASecondInterruptEndsTheRunEvenIfAWorkerHangs) {
  const Ran ran = launch_long({"--stall-timeout=200"}, [&] {
    signal_in(2, "lockstep train", SIGSTOP);
    for (const pid_t launcher : without_guards(processes_in(0, "lockstep train"))) {
      // Quick ones are the same request; one that comes late enough is not.
      EXPECT_TRUE(wait_until([&] {
        kill(launcher, SIGINT);
        return has_ended(launcher);
      }));
    }
  });
  EXPECT_NE(ran.exit_code(), 0);
  EXPECT_THAT(ran.err, HasSubstr("logs: lockstep-runs/"));
  expect_nothing_left();
}

// Slow enough that copying the program takes seconds.
class SlowSshFaults : public SshCluster {
 protected:
  SlowSshFaults() : SshCluster("4mbit") {}

  bool is_copying(int host) const {
    std::error_code none;
    const fs::directory_iterator found(disk_of(host) + "/programs", none);
    return !none && found != fs::directory_iterator();
  }

  // Exit code and words of a launcher that gets a signal while it copies.
  std::pair<int, std::string> signalled(int signal) {
    const Command command = {.name = "the launcher", .argv = train({"--hosts=host1,host2"})};
    bool done = false;
    std::string err;
    const PlanOutcome outcome = run_commands(
        std::span(&command, 1), {.time = Seconds(250)},
        {.line =
             [&](const OutputLine& line) {
               err += line.text + "\n";
               return Next::Continue;
             },
         .poll =
             [&] {
               if (!done && is_copying(1) && is_copying(2)) {
                 for (const pid_t it : without_guards(processes_in(0, "lockstep train"))) {
                   kill(it, signal);
                 }
                 done = true;
               }
               return Next::Continue;
             }});
    EXPECT_TRUE(done) << err;
    return {outcome.commands.front().status->code, err};
  }

  // What was received so far goes when the line is gone.
  void expect_nothing_left_soon() {
    for (const int host : {1, 2}) {
      EXPECT_TRUE(wait_until([&] { return !is_copying(host); }, std::chrono::seconds(60))) << host;
    }
    expect_nothing_left();
  }
};

TEST_F(SlowSshFaults, ALauncherThatIsInterruptedWhileItCopiesLeavesNothing) {
  const auto [code, err] = signalled(SIGINT);
  EXPECT_EQ(code, 130);
  EXPECT_EQ(err, "lockstep: interrupted before the run started; nothing is left on the hosts\n");
  expect_nothing_left_soon();
}

TEST_F(SlowSshFaults, ALauncherThatIsKilledWhileItCopiesLeavesNothing) {
  signalled(SIGKILL);
  expect_nothing_left_soon();
}

TEST_F(SshFaults, APortInUseIsReportedWithItsHost) {
  const Ran ran = launch({"--worker-hosts=host1:22,host2:22"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: host host1: lockstep: cannot listen on *:22: "));
  expect_nothing_left();
}

TEST_F(SshFaults, TheExitCodeOfAWorkerBecomesThatOfTheRun) {
  const Ran ran = launch({"--hosts=host1,host2", "--communicator=gloo", "--interface=nowhere"});
  EXPECT_EQ(ran.exit_code(), 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("nowhere"));
  EXPECT_THAT(ran.err, HasSubstr("run stopped"));
  expect_nothing_left();
}

TEST_F(SshFaults, AllHostsThatAreNotReadyAreReportedTogether) {
  for (int host = 1; host <= 2; ++host) {
    const std::string size = fmt::format("size={}m", 30 * host);
    ASSERT_EQ(run_on(host, {"mount", "-t", "tmpfs", "-o", size, "none", disk()}).exit_code(), 0);
  }
  const Ran ran = launch({"--hosts=host1,host2"});
  EXPECT_EQ(ran.exit_code(), 1);
  for (const char* host : {"host1", "host2"}) {
    EXPECT_THAT(ran.err, HasSubstr(fmt::format("lockstep: host {}: disk: ", host)));
  }
}

TEST_F(SshFaults, AnAgentOfAnotherVersionRefuses) {
  const Ran ran = run_on(
      1, {"sh", "-c",
          R"(echo '{"ranks":[0],"size":1,"command":"train","arguments":[],"version":"0.0.1",)"
          R"("token":"t","keeps_store":false,"store_port":0,"directory":"d"}' | "$0" agent)",
          lockstep_program()});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("0.0.1 at the launcher"));
}

}  // namespace
}  // namespace lockstep
