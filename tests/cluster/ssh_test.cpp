// Runs on several hosts by ssh, as they should go.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cluster/ssh_cluster.h"
#include "report/results/run_result.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using SshRuns = SshCluster;

std::string contents(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(SshRuns, TwoHostsWithTwoWorkersEachFormOneRunWhoseResultComesBack) {
  const Ran ran =
      launch({"--hosts=host1:2,host2:2", "--result", path("r.json"), "--log-dir", path("logs")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Nodes: 2; Devices per node: 2; Images/sec: "));
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.ranks.size(), 4u);
  EXPECT_THAT(ran.err, HasSubstr("wrote " + path("r.json") + "\n"));
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("wrote result.json")));
  EXPECT_EQ(result.facts.communicator, "hierarchical");
  EXPECT_EQ(std::distance(fs::directory_iterator(path("logs")), fs::directory_iterator()), 4);
  expect_nothing_left();
}

TEST_F(SshRuns, ANetworkFileReachesWorkersOnHostsThatDoNotHaveIt) {
  std::ofstream(path("net.toml")) << "image_size = 8\nclasses = 5\n# 'quoted' $HOME\nlayers = [\n"
                                     "{ conv = 4, kernel = 3 },\n{ classify = true },\n]\n";
  const Ran ran =
      launch({"--hosts=host1,host2", "--model", path("net.toml"), "--result", path("r.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.facts.model, "net");
  EXPECT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.facts.parameters, (3 * 3 * 3 + 1) * 4 + (4 * 8 * 8 + 1) * 5);
}

TEST_F(SshRuns, LogsOfAllHostsComeBackToAPrintedDirectory) {
  const Ran ran = launch({"--hosts=host1,host2"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const size_t said = ran.err.find("logs: lockstep-runs/");
  ASSERT_NE(said, std::string::npos) << ran.err;
  const fs::path logs = directory_ / ran.err.substr(said + 6, ran.err.find('\n', said) - said - 6);
  EXPECT_THAT(contents(logs / "rank-0-host1.log"), HasSubstr("total images/sec"));
  EXPECT_TRUE(fs::exists(logs / "rank-1-host2.log"));
}

TEST_F(SshRuns, ASecondRunCopiesNothing) {
  ASSERT_EQ(launch({"--hosts=host1"}).exit_code(), 0);
  const fs::path programs = path("disk-of-host1/programs");
  const fs::path program = fs::directory_iterator(programs)->path() / "lockstep";
  const auto written = fs::last_write_time(program);
  ASSERT_EQ(launch({"--hosts=host1"}).exit_code(), 0);
  EXPECT_EQ(fs::last_write_time(program), written);
  EXPECT_EQ(std::distance(fs::directory_iterator(programs), fs::directory_iterator()), 1);
}

TEST_F(SshRuns, ANodesFileNamesHostsForTheClusterAndForSsh) {
  std::ofstream(path("nodes"))
      << "# the name there, the name for ssh\nhost1 10.77.0.2\n\nhost2 10.77.0.3\n";
  const Ran ran = launch(
      {"--hosts", path("nodes"), "-n", "2", "-g", "1", "-m", "lenet", "-b", "2", "-r", "~/mine"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(run_on(2, {"sh", "-c", "ls ~/mine"}).out, HasSubstr("lockstep-"));
  EXPECT_THAT(ran.out, HasSubstr("Nodes: 2; Devices per node: 1; "));
}

TEST_F(SshRuns, NoShellInterpretsUserInput) {
  const std::string odd = disk() + "/it's $(touch " + disk() + "/no) ; touch " + disk() + "/no2 &";
  const Ran ran = launch(
      {"--hosts=host1,host2", "--remote-dir", odd, "--result", path("r $(touch x) ';.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path("r $(touch x) ';.json")).ranks.size(), 2u);
  const Ran model = launch({"--hosts=host1", "--model=$(touch " + disk() + "/no3)"});
  EXPECT_NE(model.exit_code(), 0);
  const Ran host = launch({"--hosts=host1;touch " + disk() + "/no4"});
  EXPECT_NE(host.exit_code(), 0);
  for (const char* name : {"no", "no2", "no3", "no4"}) {
    for (const char* of : {"host0", "host1", "host2"}) {
      EXPECT_FALSE(fs::exists(path(fmt::format("disk-of-{}/{}", of, name)))) << of << " " << name;
    }
  }
  std::ofstream(path("hosts"), std::ios::app) << "host1\nhost2 $(touch " << disk() << "/no5)\n";
  EXPECT_EQ(launch({"--hosts", path("hosts")}).exit_code(), 2);
  EXPECT_FALSE(fs::exists(disk_of(0) + "/no5"));
}

// The host sees directories of links to all libraries but these.
constexpr const char* kHideLibraries =
    "mount -t tmpfs none /mnt && cd /mnt && mkdir all && mount --bind /usr/lib all && "
    "own=x86_64-linux-gnu && mkdir -p some/$own && ln -s /mnt/all/$own/* some/$own/ && "
    "for each in all/*; do [ $each = all/$own ] || ln -s /mnt/$each some/; done && "
    "for name in cpp-httplib dnnl fmt gloo gomp hwloc hwy jpeg mpi open-pal open-rte re2; "
    "do rm -f some/lib$name.so* some/$own/lib$name.so*; done && "
    "mount --bind some /usr/lib";

TEST_F(SshRuns, MissingLibrariesAreCopiedToTheHost) {
  const Ran hidden = run_on(1, {"sh", "-c", kHideLibraries});
  ASSERT_EQ(hidden.exit_code(), 0) << hidden.err;
  ASSERT_NE(run_on(1, {lockstep_program(), "--version"}).exit_code(), 0) << "nothing is hidden";
  const Ran ran = launch({"--hosts=host1,host2"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const fs::path program = fs::directory_iterator(path("disk-of-host1/programs"))->path();
  for (const char* library : {"libdnnl.so.2", "libfmt.so.9", "libgloo.so.0", "libhwloc.so.15",
                              "libmpi.so.40", "libopen-pal.so.40"}) {
    EXPECT_TRUE(fs::exists(program / library)) << library;
  }
  EXPECT_FALSE(fs::exists(program / "libc.so.6"));
}

TEST_F(SshRuns, AHostWithASharedDiskGetsItsMissingLibraries) {
  ASSERT_EQ(run_on(1, {"sh", "-c", kHideLibraries}).exit_code(), 0);
  const std::string shared = "--remote-dir=" + path("shared");
  ASSERT_EQ(launch({"--hosts=host2", shared}).exit_code(), 0);
  const fs::path program = fs::directory_iterator(path("shared"))->path();
  EXPECT_FALSE(fs::exists(program / "libmpi.so.40"));
  const Ran ran = launch({"--hosts=host2,host1", shared});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_TRUE(fs::exists(program / "libmpi.so.40"));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("shared")), fs::directory_iterator()), 1);
}

TEST_F(SshRuns, ServersAndWorkersGoWhereTheyArePlaced) {
  const Ran ran =
      launch({"--hosts=host1,host2", "--variable-update=parameter_server", "--num-ps=1",
              "--ps-per-node=1", "--result", path("r.json"), "--log-dir", path("logs")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.facts.servers, 1);
  EXPECT_EQ(result.host.name, "host2");
  EXPECT_TRUE(fs::exists(path("logs/rank-1-host1.log")));
  expect_nothing_left();
}

TEST_F(SshRuns, AHostCanBeGivenForEveryProcess) {
  const Ran ran = launch({"--worker-hosts=host1:2222,host2", "--ps-hosts=host2", "--verbose",
                          "--result", path("r.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).facts.servers, 1);
  EXPECT_THAT(ran.err, ::testing::ContainsRegex("\nWorker 1: [-0-9]+ [:.0-9]+: step 1, loss = "));
  expect_nothing_left();
}

TEST_F(SshRuns, RanksOfSeveralHostsMeasureAllReduce) {
  const Ran ran = run_to_its_end(lockstep(
      "allreduce", {"--hosts=host1,host2", "--minbytes=1K", "--maxbytes=4K", "--stepfactor=4",
                    "--iters=2", "--warmup-iters=1", "--result", path("r.json")}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2 ranks on 2 hosts"));
  const auto result = nlohmann::json::parse(contents(path("r.json")));
  EXPECT_GT(result.at("line_rate_bytes_per_second"), 0) << "as the interface of a host states it";
  expect_nothing_left();
}

TEST_F(SshRuns, ADamagedProgramIsReplaced) {
  ASSERT_EQ(launch({"--hosts=host1"}).exit_code(), 0);
  const fs::path programs = path("disk-of-host1/programs");
  const fs::path program = fs::directory_iterator(programs)->path() / "lockstep";
  fs::resize_file(program, fs::file_size(program) / 2);
  const Ran ran = launch({"--hosts=host1"});
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(programs), fs::directory_iterator()), 1);
}

TEST_F(SshRuns, TheDoctorChecksEveryHostAndLink) {
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1,host2", "--json"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("hosts").at(1).at("facts").at("host"), "host2");
  ASSERT_EQ(json.at("links").size(), 2u);
  EXPECT_GT(json.at("links").at(0).at("answer").at("bytes_per_second"), 0);
  EXPECT_EQ(json.at("links").at(0).at("answer").at("interface"), "eth0");
  expect_nothing_left();
}

class GigabitLinks : public SshCluster {
 protected:
  GigabitLinks() : SshCluster("1gbit") {}
};

TEST_F(GigabitLinks, AreMeasuredAsGigabitByTheDoctor) {
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1,host2", "--json"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.out << ran.err;
  for (const auto& link : nlohmann::json::parse(ran.out).at("links")) {
    const double gbit = link.at("answer").at("bytes_per_second").get<double>() * 8e-9;
    EXPECT_GT(gbit, 0.1);
    EXPECT_LT(gbit, 1.1);
  }
}

TEST_F(SshRuns, TheDoctorNamesAnUnreachableHostAndChecksTheOthers) {
  stop_sshd(2);
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1,host2"}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("problem +reachable +host2 +.*Connection refused"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("ok +version +host1"));
}

TEST_F(SshRuns, MpirunStartsRanksOnOtherHostsByTheSameSsh) {
  const Ran ran = launch({"--launcher=mpirun", "--hosts=host1,host2", "--interface=eth0",
                          "--result", path("r $(touch no) ';.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Nodes: 2; Devices per node: 1; "));
  EXPECT_EQ(read_result(path("r $(touch no) ';.json")).ranks.size(), 2u);
  EXPECT_FALSE(fs::exists(path("no")));
  expect_nothing_left();
}

TEST_F(SshRuns, MpichStartsRanksOnOneOtherHostByTheSameSsh) {
  constexpr const char* kHydra = "/usr/bin/mpiexec.hydra";
  if (!fs::exists(kHydra)) GTEST_SKIP() << "there is no " << kHydra << " (mpich)";
  fs::create_directory(path("bin"));
  std::ofstream(path("bin/mpirun")) << "#!/bin/sh\nexec " << kHydra << " \"$@\"\n";
  fs::permissions(path("bin/mpirun"), fs::perms::owner_all);
  std::vector<std::string> words =
      train({"--launcher=mpirun", "--hosts=host1", "-g2", "--result", path("r.json")});
  const auto program = std::ranges::find(words, lockstep_program());
  words.insert(program, "PATH=" + path("bin") + ":/usr/bin:/bin");
  const Ran ran = run_to_its_end(words);
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  EXPECT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.host.name, "host1");
  expect_nothing_left();
}

TEST_F(SshRuns, ADryRunShowsEveryProcessAndStartsNone) {
  const Ran ran = launch({"--hosts=host1:2,host2", "--dry-run"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rank 1, worker 1"));
  EXPECT_THAT(ran.out, HasSubstr("rank 2, worker 2, on host2: LOCKSTEP_RANK=2 LOCKSTEP_SIZE=3 "
                                 "LOCKSTEP_STORE=host1:PORT LOCKSTEP_TOKEN=... "));
  EXPECT_FALSE(fs::exists(path("lockstep-runs")));
  EXPECT_FALSE(fs::exists(path("disk-of-host1/programs")));
}

}  // namespace
}  // namespace lockstep
