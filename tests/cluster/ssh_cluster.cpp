#include "cluster/ssh_cluster.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "cluster/processes_in.h"
#include "process/processes.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kHosts = 3;
constexpr const char* kSshd = "/usr/sbin/sshd";

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void SshCluster::SetUp() {
  if (const std::string why = HostNetwork::why_not(); !why.empty()) GTEST_SKIP() << why;
  if (!fs::exists(kSshd)) GTEST_SKIP() << "there is no " << kSshd << " (openssh-server)";
  std::string name = (fs::temp_directory_path() / "lockstep-cluster-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  directory_ = name;
  make_keys();
  hosts_ = std::make_unique<HostNetwork>(HostNetworkOptions{.hosts = kHosts, .rate = rate_});
  fs::create_directories(disk());
  for (int host = 0; host < kHosts; ++host) {
    fs::create_directories(disk_of(host));
    ASSERT_EQ(run_on(host, {"mount", "--bind", disk_of(host), disk()}).exit_code(), 0);
    // Nothing of the user who runs the tests: what a shell does when it starts may take its time.
    ASSERT_EQ(run_on(host, {"sh", "-c", "mount -t tmpfs none ~"}).exit_code(), 0);
    start_sshd(host);
  }
}

void SshCluster::TearDown() {
  hosts_.reset();  // and with them every process in them
  if (!directory_.empty()) fs::remove_all(directory_);
}

void SshCluster::make_keys() const {
  for (const char* key : {"host_key", "user_key"}) {
    ASSERT_EQ(run_to_its_end({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(key)})
                  .exit_code(),
              0);
  }
  fs::copy_file(path("user_key.pub"), path("authorized_keys"));
  std::ofstream(path("known_hosts")) << "* " << contents(path("host_key.pub"));
}

void SshCluster::write_ssh_config() const {
  std::string text;
  for (int host = 0; host < kHosts; ++host) {
    text += fmt::format("Host node{}\n    HostName {}\n    port 22\n    user root\n", host,
                        HostNetwork::address(host));
  }
  text += fmt::format(
      "Host *\n    IdentityFile {}\n    IdentitiesOnly yes\n    UserKnownHostsFile {}\n",
      path("user_key"), path("known_hosts"));
  for (int host = 0; host < kHosts; ++host) {
    const Ran ran = run_on(
        host, {"sh", "-c", "mkdir -p ~/.ssh && printf %s \"$1\" > ~/.ssh/config", "sh", text});
    ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  }
}

void SshCluster::forget_host_names() const {
  for (int host = 0; host < kHosts; ++host) {
    const Ran ran = run_on(host, {"sh", "-c", "echo 127.0.0.1 localhost > /etc/hosts"});
    ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  }
}

void SshCluster::start_sshd(int host, const std::vector<std::string>& environment) {
  const std::string pid = path(fmt::format("sshd-{}.pid", host));
  std::vector<std::string> argv = {"sh",
                                   "-c",
                                   "mkdir -p /run/sshd; exec \"$0\" \"$@\"",
                                   kSshd,
                                   "-f",
                                   "/dev/null",
                                   "-h",
                                   path("host_key"),
                                   "-E",
                                   path(fmt::format("sshd-{}.log", host))};
  std::vector<std::string> options = {"StrictModes=no",
                                      "UsePAM=no",
                                      "PermitRootLogin=yes",
                                      "MaxStartups=5:100:5",  // by chance, usually
                                      "AuthorizedKeysFile=" + path("authorized_keys"),
                                      "PidFile=" + pid};
  if (!environment.empty()) {
    options.push_back(fmt::format("SetEnv={}", fmt::join(environment, " ")));
  }
  for (const std::string& option : options) argv.insert(argv.end(), {"-o", option});
  const Ran ran = run_on(host, started_daemon(pid, argv));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
}

void SshCluster::give_gpus(int host, const std::string& description) {
  const std::string file = path(fmt::format("gpus-of-{}", HostNetwork::name(host)));
  std::ofstream(file) << description;
  stop_sshd(host);
  fs::remove(path(fmt::format("sshd-{}.pid", host)));
  start_sshd(host, {"LD_LIBRARY_PATH=" + fs::path(fake_nvml_path()).parent_path().string(),
                    "FAKE_NVML=" + file});
}

void SshCluster::stop_sshd(int host) {
  for (const pid_t process : processes_in(host, "sshd: " + std::string(kSshd))) {
    kill(process, SIGKILL);
    ASSERT_TRUE(ends_soon(process));
  }
}

Ran SshCluster::run_on(int host, const std::vector<std::string>& argv) const {
  return run_to_its_end(hosts_->command_in(host, argv));
}

std::vector<std::string> SshCluster::ssh_options() const {
  std::vector<std::string> words;
  for (const std::string& option :
       {"IdentityFile=" + path("user_key"), std::string("IdentitiesOnly=yes"),
        "UserKnownHostsFile=" + path("known_hosts"), std::string("GlobalKnownHostsFile=/dev/null"),
        std::string("ConnectTimeout=10"), std::string("ServerAliveInterval=2")}) {
    words.push_back("--ssh-option=" + option);
  }
  return words;
}

std::vector<std::string> SshCluster::lockstep(const std::string& command,
                                              const std::vector<std::string>& more) const {
  std::vector<std::string> words = {"env", "--chdir=" + directory_.string(), program_, command,
                                    "--remote-dir=" + disk() + "/programs"};
  const std::vector<std::string> ssh = ssh_options();
  words.insert(words.end(), ssh.begin(), ssh.end());
  words.insert(words.end(), more.begin(), more.end());
  return hosts_->command_in(0, words);
}

std::vector<std::string> SshCluster::train(const std::vector<std::string>& more) const {
  std::vector<std::string> words = {"--model=lenet",   "--batch-size=4",
                                    "--num-batches=6", "--num-warmup-batches=2",
                                    "--threads=1",     "--init-learning-rate=1e-7"};
  words.insert(words.end(), more.begin(), more.end());
  return lockstep("train", words);
}

Ran SshCluster::launch(const std::vector<std::string>& more,
                       const std::function<void()>& when_it_trains) {
  return run_to_its_end(train(more), when_it_trains);
}

std::vector<pid_t> SshCluster::processes_in(int host, const std::string& text) const {
  return lockstep::processes_in(*hosts_, host, text);
}

void SshCluster::expect_nothing_left() {
  for (int host = 0; host < kHosts; ++host) {
    for (const char* program : {"lockstep train", "lockstep agent"}) {
      for (const pid_t process : processes_in(host, program)) {
        EXPECT_TRUE(ends_soon(process)) << program << " on " << HostNetwork::name(host);
      }
    }
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(disk_of(host) + "/programs", none)) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(name.starts_with("lockstep-") && name.find('.') == std::string::npos)
          << name << " on " << HostNetwork::name(host);
    }
  }
}

}  // namespace lockstep
