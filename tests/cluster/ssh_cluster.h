// ssh_cluster.h: three hosts with an sshd each, and a launcher on the first of them.
//
// Keys, configuration and known hosts are made for one test and lie in its directory; ssh is told
// of them by --ssh-option, so nothing of the user who runs the tests is read or written. Each
// host's own disk is a directory of that place, under the same path on all hosts.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/ran.h"
#include "support/host_network.h"
#include "support/paths.h"

namespace lockstep {

class SshCluster : public ::testing::Test {
 protected:
  // `rate`: of every link, as tc writes it; empty: as fast as this machine.
  explicit SshCluster(std::string rate = {}) : rate_(std::move(rate)) {}

  void SetUp() override;
  void TearDown() override;

  // A command on a host, to its end.
  Ran run_on(int host, const std::vector<std::string>& argv) const;
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string disk() const { return path("disk"); }  // of each host its own
  std::string disk_of(int host) const { return path("disk-of-" + HostNetwork::name(host)); }

  // ~/.ssh/config on every host: the key, and the alias node1 of host1, node2 of host2, ...
  void write_ssh_config() const;
  // Host names mean nothing any more: only addresses do, and the aliases of ssh.
  void forget_host_names() const;

  // `environment`: "NAME=VALUE" of everything that it starts.
  void start_sshd(int host, const std::vector<std::string>& environment = {});
  void stop_sshd(int host);
  // From now on this host has a GPU driver with the GPUs of support/fake_nvml, described so.
  void give_gpus(int host, const std::string& description);

  // A command of lockstep with all that its ssh needs, started on host0 in the test's directory.
  std::vector<std::string> lockstep(const std::string& command,
                                    const std::vector<std::string>& more) const;
  // `lockstep train` of a small network.
  std::vector<std::string> train(const std::vector<std::string>& more) const;
  // The same, until it is over; `when_it_trains` is called at the first line with a speed.
  Ran launch(const std::vector<std::string>& more,
             const std::function<void()>& when_it_trains = {});
  // Numbers, seen from here, of the processes in a host whose command line has this in it.
  std::vector<pid_t> processes_in(int host, const std::string& text) const;
  // What a run may not leave behind, on any host: processes, and files besides the program.
  void expect_nothing_left();

  std::string program_ = lockstep_program();
  std::filesystem::path directory_;
  std::unique_ptr<HostNetwork> hosts_;

 private:
  void make_keys() const;
  std::vector<std::string> ssh_options() const;

  const std::string rate_;
};

}  // namespace lockstep
