#include "app/commands/tunnel.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/host_name.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

class Tunnel : public ::testing::Test {
 protected:
  std::string command(std::map<std::string, std::string> environment) {
    environment["USER"] = "me";
    const Context context = {.out = out_, .err = out_, .environment = [&](const std::string& name) {
                               const auto found = environment.find(name);
                               return found == environment.end() ? std::nullopt
                                                                 : std::optional(found->second);
                             }};
    return tunnel_command(route_to_here(context, root_.path()), 8888);
  }
  void become_ec2() {
    std::filesystem::create_directories(root_.path() / "sys/class/dmi/id");
    std::ofstream(root_.path() / "sys/class/dmi/id/sys_vendor") << "Amazon EC2\n";
  }

  TemporaryDirectory root_;
  std::ostringstream out_;
};

TEST_F(Tunnel, LeadsToTheAddressOfTheSshSession) {
  EXPECT_EQ(command({{"SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22"}}),
            "ssh -N -L 8888:127.0.0.1:8888 me@10.0.0.2");
}

TEST_F(Tunnel, PassesTheLoginNodeOfASlurmJob) {
  EXPECT_EQ(command({{"SLURM_JOB_ID", "7"}, {"SLURM_SUBMIT_HOST", "login1"}}),
            "ssh -N -L 8888:127.0.0.1:8888 -J me@login1 me@" + host_name());
}

TEST_F(Tunnel, AJobOnTheLoginNodeItselfNeedsNoJump) {
  EXPECT_EQ(command({{"SLURM_JOB_ID", "7"},
                     {"SLURM_SUBMIT_HOST", host_name()},
                     {"SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22"}}),
            "ssh -N -L 8888:127.0.0.1:8888 me@10.0.0.2");
}

TEST_F(Tunnel, LeavesThePublicNameOfAnEc2InstanceOpen) {
  become_ec2();
  EXPECT_EQ(command({{"SSH_CONNECTION", "1.2.3.4 50000 10.0.0.2 22"}}),
            "ssh -N -L 8888:127.0.0.1:8888 me@HOST");
  EXPECT_EQ(command({{"SLURM_JOB_ID", "7"}, {"SLURM_SUBMIT_HOST", "ip-10-0-0-5"}}),
            "ssh -N -L 8888:127.0.0.1:8888 -J me@HOST me@" + host_name());
}

}  // namespace
}  // namespace lockstep
