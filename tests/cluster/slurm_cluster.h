// slurm_cluster.h: a Slurm of two nodes, with its own daemons, on a host of its own.
//
// The host is a set of namespaces, so ports and names are nobody else's, and every daemon and every
// step ends with it. Both nodes are this one host; their names, n1 and n2, only Slurm knows.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cluster/ran.h"
#include "support/host_network.h"

namespace lockstep {

class SlurmCluster : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  // A command on the host, in the test's directory, that knows its Slurm.
  std::vector<std::string> on_host(const std::vector<std::string>& argv) const;
  Ran run_on_host(const std::vector<std::string>& argv,
                  const std::function<void()>& when_it_trains = {}) const;
  // `lockstep train` of a small network.
  static std::vector<std::string> train(const std::vector<std::string>& more);

  void expect_no_job_left() const;
  // Numbers, seen from here, of processes of lockstep on the host that have this in their words.
  std::vector<pid_t> processes(const std::string& text) const;

 private:
  void write_configuration() const;
  void start(const std::string& pid_file, const std::vector<std::string>& daemon) const;
  void wait_for_nodes() const;
  std::string logs() const;

  std::filesystem::path directory_;
  std::unique_ptr<HostNetwork> hosts_;
};

}  // namespace lockstep
