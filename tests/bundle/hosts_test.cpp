// A bundle on hosts that have no library of it, and under mpirun, with which it is not linked.
#include <gmock/gmock.h>

#include "cluster/ssh_cluster.h"
#include "process/processes.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

class BundleOnHosts : public SshCluster {
 protected:
  BundleOnHosts() { program_ = LOCKSTEP_BUNDLE "/bin/lockstep"; }

  void SetUp() override {
    SshCluster::SetUp();
    if (IsSkipped()) return;
    for (int host = 1; host < hosts_->size(); ++host) take_libraries_away(host);
  }

  // And ldd, by which the program itself would look for them.
  void take_libraries_away(int host) const {
    const char* script =
        "set -e; for library in libdnnl.so.2 libgloo.so.0 libfmt.so.9 libgomp.so.1; do"
        "  for path in /usr/lib/$library /usr/lib/*/$library; do"
        "    if [ -e $path ]; then mount --bind /dev/null $path; fi; done; done;"
        "mount --bind /bin/false /usr/bin/ldd";
    const Ran ran = run_on(host, {"sh", "-c", script});
    ASSERT_EQ(ran.exit_code(), 0) << ran.err;
    ASSERT_NE(run_on(host, {lockstep_program(), "--version"}).exit_code(), 0);
  }
};

TEST_F(BundleOnHosts, BringsItsLibrariesToHostsWithoutThem) {
  const Ran ran = launch({"--hosts=host1,host2", "--num-devices=2"});
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
  expect_nothing_left();
  for (int host = 0; host < hosts_->size(); ++host) {
    for (const pid_t process : processes_in(host, "lockstep-program")) {
      EXPECT_TRUE(ends_soon(process)) << HostNetwork::name(host);
    }
  }
  const Ran again = launch({"--hosts=host1,host2", "--num-devices=2"});
  EXPECT_EQ(again.exit_code(), 0) << again.err;
}

TEST_F(BundleOnHosts, TheDoctorFindsTheSameProgramEverywhere) {
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1,host2"}));
  EXPECT_THAT(ran.out, HasSubstr("host2"));
  EXPECT_THAT(ran.out, HasSubstr("start it by --launcher mpirun"));
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("install the same version"))) << ran.out;
}

// Started by mpirun, which says nothing of a store.
const std::vector<std::string> kFew = {"--model=lenet", "--batch-size=4", "--num-batches=4",
                                       "--num-warmup-batches=1", "--threads=1"};

std::vector<std::string> words(std::vector<std::string> first) {
  first.insert(first.end(), kFew.begin(), kFew.end());
  return first;
}

TEST(WithoutMpi, RanksOfMpirunAreRefusedInOneLine) {
  const Ran ran = run_to_its_end(words({"mpirun", "--allow-run-as-root", "--oversubscribe", "-np",
                                        "2", LOCKSTEP_PORTABLE, "train"}));
  EXPECT_NE(ran.exit_code(), 0);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: this lockstep was built without MPI: let it start "
                                 "mpirun itself (--launcher mpirun)"));
}

TEST(WithoutMpi, TheLauncherMpirunConnectsTheRanksItself) {
  const Ran ran =
      run_to_its_end(words({LOCKSTEP_PORTABLE, "train", "--launcher=mpirun", "--num-devices=2"}));
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("total images/sec"));
}

TEST(WithoutMpi, ItsCommunicatorsAreRefusedInOneLine) {
  for (const char* name : {"mpi", "hierarchical_mpi"}) {
    const Ran ran = run_to_its_end(words(
        {LOCKSTEP_PORTABLE, "train", "--num-devices=2", std::string("--communicator=") + name}));
    EXPECT_EQ(ran.exit_code(), 2);
    EXPECT_THAT(ran.err, HasSubstr("built without MPI; use one of gloo, hierarchical")) << name;
  }
}

}  // namespace
}  // namespace lockstep
