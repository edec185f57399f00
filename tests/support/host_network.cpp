#include "support/host_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr int kNamespaces = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWPID;

int run_and_wait(std::vector<std::string> argv) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    execvp(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string nsenter_target(pid_t init) { return fmt::format("--target={}", init); }

// What tells a host from others.
struct Identity {
  std::string name, hosts_file;
  // Its first process has the next number. Open MPI names files in /tmp and /dev/shm, which all
  // hosts share, by host and process: two tests at a time both have a host0.
  std::string last_process;
};

Identity identity_of(const std::string& name, const std::string& hosts_file) {
  return {name, hosts_file, std::to_string(300 + getpid() * 101L % 30000)};
}

bool write_file(const char* path, const std::string& text) {
  const int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  const auto size = static_cast<ssize_t>(text.size());
  const bool written = file >= 0 && write(file, text.data(), text.size()) == size;
  close(file);
  return written;
}

// A disk that only this host sees, in memory. /etc/hosts is on it.
constexpr const char* kOwnDisk = "/mnt";
constexpr const char* kHostsFile = "/mnt/hosts";

bool show_hosts_file(const std::string& text) {
  return mount("none", kOwnDisk, "tmpfs", 0, nullptr) == 0 && write_file(kHostsFile, text) &&
         mount(kHostsFile, "/etc/hosts", nullptr, MS_BIND, nullptr) == 0;
}

// In the first process of a host: system calls only, for this is a copy of one thread of many. It
// ends when the lifeline does, and everything in the host ends with it.
[[noreturn]] void be_init(const Identity& host, int ready, int lifeline) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGCHLD, SIG_IGN);  // nobody waits for the orphans of a host
  const bool set_up = sethostname(host.name.data(), host.name.size()) == 0 &&
                      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                      mount("proc", "/proc", "proc", 0, nullptr) == 0 &&
                      write_file("/proc/sys/kernel/ns_last_pid", host.last_process) &&
                      show_hosts_file(host.hosts_file);
  const int error = set_up ? 0 : errno;
  [[maybe_unused]] const ssize_t told = write(ready, &error, sizeof error);
  close(ready);
  char end = 0;
  while (set_up && read(lifeline, &end, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

std::string shaping(const std::string& device, const std::string& rate) {
  // The burst is what one tick of a slow kernel timer lets through at 10 Gbit/s.
  return rate.empty()
             ? ""
             : fmt::format("tc qdisc add dev {} root tbf rate {} burst 256kb latency 20ms\n",
                           device, rate);
}

}  // namespace

std::string HostNetwork::why_not() {
  if (geteuid() != 0) return "hosts in network namespaces need root";
  for (const char* program : {"ip", "tc", "nsenter"}) {
    if (run_and_wait({"sh", "-c", fmt::format("command -v {} >/dev/null", program)}) != 0) {
      return fmt::format("hosts in network namespaces need the program {}", program);
    }
  }
  const int status =
      run_and_wait({"unshare", "--net", "--uts", "--mount", "--pid", "--fork", "true"});
  return status == 0 ? "" : "this system makes no namespaces";
}

HostNetwork::HostNetwork(const HostNetworkOptions& options) {
  std::string hosts = "127.0.0.1 localhost\n";
  for (int i = 0; i < options.hosts; ++i) hosts += fmt::format("{} {}\n", address(i), name(i));
  try {
    switch_ = start_machine("switch", hosts);
    run_in(switch_, "ip link add bridge type bridge\nip link set bridge up\n");
    for (int i = 0; i < options.hosts; ++i) {
      hosts_.push_back(start_machine(name(i), hosts));
      connect(i, options.rate);
    }
  } catch (...) {
    stop_all();
    throw;
  }
}

HostNetwork::~HostNetwork() { stop_all(); }

std::string HostNetwork::name(int host) { return fmt::format("host{}", host); }
std::string HostNetwork::address(int host) { return fmt::format("10.77.0.{}", host + 1); }

std::vector<std::string> HostNetwork::command_in(int host,
                                                 const std::vector<std::string>& argv) const {
  std::vector<std::string> command = {
      "nsenter", nsenter_target(hosts_[host].init), "--net", "--uts", "--mount", "--pid", "--",
      // Tests at the same time would remove each other's directories of Open MPI from /tmp.
      "env", fmt::format("OMPI_MCA_orte_tmpdir_base={}", kOwnDisk)};
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

void HostNetwork::enter(int host) const {
  for (const char* kind : {"net", "uts"}) {
    const std::string path = fmt::format("/proc/{}/ns/{}", hosts_[host].init, kind);
    const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = space >= 0 && setns(space, 0) == 0;
    const int error = errno;
    close(space);
    if (!entered) throw Error("cannot enter {}: {}", name(host), std::strerror(error));
  }
}

void HostNetwork::cut(int host) { run_in(switch_, fmt::format("ip link set port{} down", host)); }
void HostNetwork::mend(int host) { run_in(switch_, fmt::format("ip link set port{} up", host)); }

HostNetwork::Machine HostNetwork::start_machine(const std::string& name,
                                                const std::string& hosts_file) {
  const Identity identity = identity_of(name, hosts_file);
  int ready[2], lifeline[2];
  if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(lifeline, O_CLOEXEC) != 0) throw Error("no pipe");
  const auto init =
      static_cast<pid_t>(syscall(SYS_clone, kNamespaces | SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (init == 0) {
    close(ready[0]);
    close(lifeline[1]);
    be_init(identity, ready[1], lifeline[0]);
  }
  const int clone_error = errno;
  close(ready[1]);
  close(lifeline[0]);
  int error = clone_error;
  if (init > 0 && read(ready[0], &error, sizeof error) != sizeof error) error = ECHILD;
  close(ready[0]);
  Machine machine{init, lifeline[1]};
  if (error == 0) return machine;
  stop(machine);
  throw Error("cannot make {}: {}", name, std::strerror(error));
}

void HostNetwork::stop(Machine& machine) {
  if (machine.lifeline >= 0) close(machine.lifeline);
  if (machine.init > 0) {
    kill(machine.init, SIGKILL);  // a copy of this process may hold the lifeline too
    while (waitpid(machine.init, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  machine = {};
}

void HostNetwork::stop_all() {
  for (Machine& host : hosts_) stop(host);
  stop(switch_);
}

void HostNetwork::connect(int host, const std::string& rate) {
  const std::string port = fmt::format("port{}", host);
  run_in(switch_, fmt::format("ip link add {0} type veth peer name eth0 netns {1}\n"
                              "ip link set {0} master bridge up\n",
                              port, hosts_[host].init) +
                      shaping(port, rate));
  run_in(hosts_[host], fmt::format("ip link set lo up\n"
                                   "ip address add {}/24 dev eth0\n"
                                   "ip link set eth0 up\n",
                                   address(host)) +
                           shaping("eth0", rate));
}

// Of the machine only the network is entered: process numbers in the script are this side's.
void HostNetwork::run_in(const Machine& machine, const std::string& script) {
  const int status =
      run_and_wait({"nsenter", nsenter_target(machine.init), "--net", "sh", "-ec", script});
  if (status != 0) throw Error("a host's network cannot be set up by\n{}", script);
}

}  // namespace lockstep
