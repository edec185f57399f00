// Runs every line of seed_line.h for real: on hosts with sshd, on Slurm nodes, and here.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cluster/slurm_cluster.h"
#include "cluster/ssh_cluster.h"
#include "seeds/seed_line.h"
#include "support/file_text.h"
#include "support/leaks.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {

std::vector<std::string> shell_for(const SeedLine& line, const std::string& directory,
                                   const std::string& disk) {
  const std::string programs = std::filesystem::path(lockstep_program()).parent_path();
  return {"env", "--chdir=" + directory,
          fmt::format("PATH={}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", programs),
          "LD_LIBRARY_PATH=/usr/local/lib",
          // Measuring which convolution is fastest takes longer than a few steps.
          "FEW=--num_batches=2 --num_warmup_batches=0 --threads=1 --conv-algo=direct",
          "DISK=" + disk, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
          kLeaksOfOpenMpi, "sh", "-c", line.run};
}

namespace {

void expect_done(const SeedLine& line, const Ran& ran, const std::string& directory) {
  EXPECT_EQ(ran.exit_code(), 0) << ran.out << ran.err;
  const std::string screen = "\n" + ran.out + ran.err;
  for (const char* pattern : line.appears) {
    EXPECT_THAT(screen, ::testing::ContainsRegex(pattern));
  }
  for (const char* file : line.files) {
    EXPECT_TRUE(std::filesystem::exists(directory + "/" + file)) << file << "\n" << screen;
  }
}

constexpr auto kName = [](const auto& line) { return std::string(line.param.name); };

class LinesOnHosts : public SshCluster, public ::testing::WithParamInterface<SeedLine> {};

TEST_P(LinesOnHosts, Work) {
  write_ssh_config();
  std::ofstream(path("nodes")) << "host1 node1\nhost2 node2\n";
  const Ran ran = run_on(0, shell_for(GetParam(), directory_.string(), disk() + "/programs"));
  expect_done(GetParam(), ran, directory_.string());
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(All, LinesOnHosts, ::testing::ValuesIn(lines_on_hosts()), kName);

class LinesOnSlurm : public SlurmCluster, public ::testing::WithParamInterface<SeedLine> {};

TEST_P(LinesOnSlurm, Work) {
  const Ran ran = run_on_host(shell_for(GetParam(), path("."), path("disk")));
  expect_done(GetParam(), ran, path("."));
  expect_no_job_left();
}
INSTANTIATE_TEST_SUITE_P(All, LinesOnSlurm, ::testing::ValuesIn(lines_on_slurm()), kName);

class LinesOnMachine : public ::testing::TestWithParam<SeedLine> {};

TEST_P(LinesOnMachine, Work) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.path().string();
  const Ran ran = run_to_its_end(shell_for(GetParam(), directory, directory + "/disk"));
  expect_done(GetParam(), ran, directory);
}
INSTANTIATE_TEST_SUITE_P(All, LinesOnMachine, ::testing::ValuesIn(lines_on_machine()), kName);

TEST(SeedLines, AreAllInTheDocumentation) {
  const std::string page = file_text(project_path("docs/seeds.md"));
  for (const auto lines : {lines_on_hosts(), lines_on_slurm(), lines_on_machine()}) {
    for (const SeedLine& line : lines) EXPECT_THAT(page, ::testing::HasSubstr(line.typed));
  }
}

}  // namespace
}  // namespace lockstep
