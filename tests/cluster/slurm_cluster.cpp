#include "cluster/slurm_cluster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <regex>

#include "cluster/processes_in.h"
#include "process/processes.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kMostQuestions = 5000;  // to a controller that may be busy, a minute or so

constexpr const char* kDaemons[] = {"/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"};

std::string contents(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

void SlurmCluster::SetUp() {
  if (const std::string why = HostNetwork::why_not(); !why.empty()) GTEST_SKIP() << why;
  for (const char* daemon : kDaemons) {
    if (!fs::exists(daemon)) GTEST_SKIP() << "there is no " << daemon << " (slurm-wlm, munge)";
  }
  std::string name = (fs::temp_directory_path() / "lockstep-slurm-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  directory_ = name;
  // munged wants everybody to reach its socket, and nobody its key.
  fs::permissions(directory_, fs::perms(0755));
  hosts_ = std::make_unique<HostNetwork>(HostNetworkOptions{.hosts = 1});
  write_configuration();
  start("munge.pid", {"munged", "--key-file=" + path("munge.key"),
                      "--socket=" + path("munge.socket"), "--pid-file=" + path("munge.pid"),
                      "--log-file=" + path("munge.log"), "--seed-file=" + path("munge.seed")});
  start("slurmctld.pid", {"slurmctld", "-f", path("slurm.conf")});
  for (const char* node : {"n1", "n2"}) {
    start(fmt::format("slurmd-{}.pid", node), {"slurmd", "-f", path("slurm.conf"), "-N", node});
  }
  wait_for_nodes();
}

void SlurmCluster::TearDown() {
  if (HasFailure() && !directory_.empty()) ADD_FAILURE() << logs();
  hosts_.reset();  // and with them every daemon and step
  if (!directory_.empty()) fs::remove_all(directory_);
}

void SlurmCluster::write_configuration() const {
  fs::create_directory(path("state"));
  std::ofstream(path("slurm.conf"))
      << std::regex_replace(contents(project_path("tests/cluster/slurm.conf")),
                            std::regex("DIRECTORY"), directory_.string());
  std::ofstream(path("munge.key")) << std::string(128, 'k');
  fs::permissions(path("munge.key"), fs::perms(0400));
}

void SlurmCluster::start(const std::string& pid_file,
                         const std::vector<std::string>& daemon) const {
  const Ran ran = run_on_host(started_daemon(path(pid_file), daemon));
  ASSERT_EQ(ran.exit_code(), 0) << daemon.front() << ": " << ran.err << logs();
}

// Mostly within a second or so; asking again is a question each time, not a sleep.
void SlurmCluster::wait_for_nodes() const {
  std::string states;
  for (int question = 0; question < kMostQuestions; ++question) {
    states = run_on_host({"sinfo", "--noheader", "--format=%T %D"}).out;
    if (states == "idle 2\n") return;
  }
  FAIL() << "nodes are " << states << logs();
}

std::string SlurmCluster::logs() const {
  std::string text;
  for (const char* log : {"munge.log", "slurmctld.log", "slurmd-n1.log", "slurmd-n2.log"}) {
    text += fmt::format("--- {}\n{}", log, contents(path(log)));
  }
  return text;
}

std::vector<std::string> SlurmCluster::on_host(const std::vector<std::string>& argv) const {
  std::vector<std::string> words = {"env", "--chdir=" + directory_.string(),
                                    "SLURM_CONF=" + path("slurm.conf")};
  words.insert(words.end(), argv.begin(), argv.end());
  return hosts_->command_in(0, words);
}

Ran SlurmCluster::run_on_host(const std::vector<std::string>& argv,
                              const std::function<void()>& when_it_trains) const {
  return run_to_its_end(on_host(argv), when_it_trains);
}

std::vector<std::string> SlurmCluster::train(const std::vector<std::string>& more) {
  std::vector<std::string> words = {lockstep_program(), "train",
                                    "--model=lenet",    "--batch-size=4",
                                    "--num-batches=6",  "--num-warmup-batches=2",
                                    "--threads=1",      "--init-learning-rate=1e-7"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void SlurmCluster::expect_no_job_left() const {
  std::string jobs = "?";
  for (int question = 0; question < kMostQuestions && !jobs.empty(); ++question) {
    jobs = run_on_host({"squeue", "--noheader"}).out;
  }
  EXPECT_EQ(jobs, "");
  for (const pid_t process : processes("lockstep train")) EXPECT_TRUE(ends_soon(process));
}

std::vector<pid_t> SlurmCluster::processes(const std::string& text) const {
  return processes_in(*hosts_, 0, text);
}

}  // namespace lockstep
