// host_network.h: several hosts on this machine, for tests that need more than one.
//
// A host is a set of Linux namespaces: its own network, host name, processes and mounts, the files
// being this machine's. All hosts hang on one switch, as eth0 with an address of their own, and
// find each other by name in /etc/hosts. Nothing has a name outside: when the object goes, or this
// process dies in whatever way, so do the hosts and every process that still runs in them.
// Needs root, and the programs ip, tc and nsenter.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lockstep {

struct HostNetworkOptions {
  int hosts = 2;
  // Every link, each way, as tc writes it ("1gbit"); empty: as fast as this machine.
  std::string rate = {};
};

class HostNetwork {
 public:
  // Why there can be no hosts here; empty when there can. For GTEST_SKIP.
  static std::string why_not();

  explicit HostNetwork(const HostNetworkOptions& options);  // throws Error
  ~HostNetwork();
  HostNetwork(const HostNetwork&) = delete;
  HostNetwork& operator=(const HostNetwork&) = delete;

  int size() const { return static_cast<int>(hosts_.size()); }
  static std::string name(int host);     // "host0"
  static std::string address(int host);  // "10.77.0.1"

  // The same command, to be run in this host. Its working directory is the root.
  std::vector<std::string> command_in(int host, const std::vector<std::string>& argv) const;
  // The calling thread's sockets and host name are this host's from now on. For a thread or a
  // forked child that does nothing else afterwards.
  void enter(int host) const;

  void cut(int host);   // its link: what is sent disappears
  void mend(int host);  // again

 private:
  struct Machine {
    pid_t init = 0;     // the first process of its namespaces
    int lifeline = -1;  // closed: the machine ends
  };

  static Machine start_machine(const std::string& name, const std::string& hosts_file);
  static void stop(Machine& machine);
  void stop_all();
  void connect(int host, const std::string& rate);
  static void run_in(const Machine& machine, const std::string& script);

  Machine switch_;
  std::vector<Machine> hosts_;
};

}  // namespace lockstep
