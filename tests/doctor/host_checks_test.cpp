#include "doctor/host_checks.h"

#include <gmock/gmock.h>

#include "config/json.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

Json healthy_gpu(int bus) {
  return {{"name", "NVIDIA H100"},
          {"uuid", "GPU-1"},
          {"pci_address", "0000:0" + std::to_string(bus) + ":00.0"},
          {"driver", "570.00"},
          {"memory_bytes", int64_t{80} * 1000 * 1000 * 1000},
          {"power_limit_watts", 700.0},
          {"uncorrected_ecc_errors", 0},
          {"throttled", Json::array()},
          {"no_peer_access_to", Json::array()}};
}

HostReport healthy(const std::string& name) {
  HostReport host = {.name = name};
  host.facts = {{"version", "1"},
                {"program", "p"},
                {"cpu_model", "C"},
                {"isa", {"avx2"}},
                {"usable_threads", 4},
                {"available_memory_bytes", int64_t{16} << 30},
                {"disk_free_bytes", int64_t{16} << 30},
                {"governor", "performance"},
                {"load", 0.1},
                {"interfaces", {{{"name", "eth0"}, {"address", "10.0.0.1"}}}},
                {"gpus", {healthy_gpu(1), healthy_gpu(2)}}};
  host.compute = {{"flops", 100e9}, {"stolen", 0.0}};
  host.nccl = {{"gpus", 2}, {"bytes_per_second", 200e9}};
  host.programs = {{"mpirun", {{"version", "mpirun (Open MPI) 4.1.4"}}}, {"srun", Json::object()}};
  host.clock_offset = 0.0;
  host.clock_uncertainty = 0.01;
  host.workers = 2;
  return host;
}

// What is found beside "ok" when one of three hosts is changed.
std::vector<CheckRow> found(void (*change)(HostReport&)) {
  HostSurvey all = {.hosts = {healthy("a"), healthy("b"), healthy("c")}, .links = {}};
  change(all.hosts[1]);
  std::vector<CheckRow> rows = rows_for({.all = all,
                                         .version = "1",
                                         .program = "p",
                                         .mpi = "Open MPI v4.1.4",
                                         .reach_advice = "try it"},
                                        true);
  std::erase_if(rows, [](const CheckRow& row) { return row.finding.level == Level::Ok; });
  return rows;
}

struct Fault {
  const char* check;
  Level level;
  void (*make)(HostReport&);
};

class EveryFault : public ::testing::TestWithParam<Fault> {};

TEST_P(EveryFault, IsFoundOnItsHostWithAdvice) {
  const std::vector<CheckRow> rows = found(GetParam().make);
  ASSERT_EQ(rows.size(), 1u) << table_of(rows);
  EXPECT_EQ(rows[0].check, GetParam().check);
  EXPECT_EQ(rows[0].hosts, std::vector<std::string>{"b"});
  EXPECT_EQ(rows[0].finding.level, GetParam().level);
  EXPECT_NE(rows[0].finding.advice, "");
  EXPECT_THAT(table_of(rows), HasSubstr(rows[0].finding.advice));
}

INSTANTIATE_TEST_SUITE_P(
    Checks, EveryFault,
    ::testing::Values(
        Fault{"reachable", Level::Problem,
              [](HostReport& host) { host.unreachable = "Connection refused"; }},
        Fault{"framework", Level::Problem,
              [](HostReport& host) {
                host.frameworks = {{{"name", "pytorch"}, {"problem", "not installed"}}};
              }},
        Fault{"version", Level::Problem, [](HostReport& host) { host.facts["version"] = "0"; }},
        Fault{"processor", Level::Warning, [](HostReport& host) { host.facts["cpu_model"] = "D"; }},
        Fault{"places", Level::Warning, [](HostReport& host) { host.workers = 5; }},
        Fault{"memory", Level::Problem,
              [](HostReport& host) { host.facts["available_memory_bytes"] = 1000; }},
        Fault{"disk", Level::Problem,
              [](HostReport& host) { host.facts["disk_free_bytes"] = 1000; }},
        Fault{"clock", Level::Warning, [](HostReport& host) { host.clock_offset = -7; }},
        Fault{"interfaces", Level::Problem,
              [](HostReport& host) { host.facts["interfaces"] = Json::array(); }},
        Fault{"governor", Level::Warning,
              [](HostReport& host) { host.facts["governor"] = "powersave"; }},
        Fault{"huge pages", Level::Warning,
              [](HostReport& host) { host.facts["transparent_huge_pages"] = "never"; }},
        Fault{"load", Level::Warning, [](HostReport& host) { host.facts["load"] = 3; }},
        Fault{"quota", Level::Warning, [](HostReport& host) { host.facts["cgroup_cpus"] = 1.5; }},
        Fault{"stolen time", Level::Warning,
              [](HostReport& host) { host.compute["stolen"] = 0.2; }},
        Fault{"GPUs", Level::Warning, [](HostReport& host) { host.facts["gpus"].erase(1); }},
        Fault{"GPUs", Level::Warning,
              [](HostReport& host) {
                for (Json& gpu : host.facts["gpus"]) gpu["power_limit_watts"] = 350.0;
              }},
        Fault{"GPU driver", Level::Warning,
              [](HostReport& host) {
                for (Json& gpu : host.facts["gpus"]) gpu["driver"] = "535.00";
              }},
        Fault{"GPU memory", Level::Problem,
              [](HostReport& host) { host.facts["gpus"][1]["uncorrected_ecc_errors"] = 3; }},
        Fault{"GPU clocks", Level::Warning,
              [](HostReport& host) { host.facts["gpus"][1]["throttled"] = {"temperature"}; }},
        Fault{"NCCL", Level::Warning,
              [](HostReport& host) { host.nccl["bytes_per_second"] = 100e9; }},
        Fault{"NCCL", Level::Warning, [](HostReport& host) { host.nccl["error"] = "no result"; }},
        Fault{"GPU peers", Level::Warning,
              [](HostReport& host) { host.facts["gpus"][0]["no_peer_access_to"] = {1}; }},
        Fault{"compute", Level::Warning, [](HostReport& host) { host.compute["flops"] = 50e9; }},
        Fault{"MPI", Level::Warning,
              [](HostReport& host) {
                host.programs["mpirun"] = {{"complaint", "cannot open libmpi"}};
              }},
        Fault{"MPI", Level::Warning,
              [](HostReport& host) {
                host.programs["mpirun"] = {{"version", "mpirun (Open MPI) 5.0.1"}};
              }},
        Fault{"Slurm", Level::Warning,
              [](HostReport& host) {
                host.programs["srun"] = {{"complaint", "no configuration"}};
              }}),
    [](const auto& each) {
      std::string name = each.param.check;
      std::erase(name, ' ');
      return name + std::to_string(each.index);
    });

TEST(Checks, AWrongGpuIsNamedByNumberAndAddress) {
  HostSurvey all = {.hosts = {healthy("a")}, .links = {}};
  all.hosts[0].facts["gpus"][1]["uncorrected_ecc_errors"] = 1;
  const auto rows = rows_for({.all = all, .version = "1", .program = "p"}, false);
  EXPECT_THAT(table_of(rows), HasSubstr("GPU 1 (0000:02:00.0): 1 uncorrected error"));
  EXPECT_THAT(table_of(rows), HasSubstr("2 x NVIDIA H100, 80.0 GB, 700 W"));
}

TEST(Checks, EveryWorkerNeedsAGpuOnlyIfTheRunUsesThem) {
  HostSurvey all = {.hosts = {healthy("a")}, .links = {}};
  all.hosts[0].workers = 3;
  const CheckContext cpu = {.all = all, .version = "1", .program = "p"};
  EXPECT_EQ(worst_of(rows_for(cpu, false)), Level::Ok);
  const CheckContext gpu = {.all = all, .version = "1", .program = "p", .wants_gpus = true};
  EXPECT_EQ(worst_of(rows_for(gpu, false)), Level::Problem);
  EXPECT_THAT(table_of(rows_for(gpu, false)), HasSubstr("2 GPUs for 3 workers"));
  all.hosts[0].facts["gpus"] = Json::array();
  EXPECT_EQ(worst_of(rows_for(gpu, false)), Level::Warning) << "another vendor's are not seen";
}

TEST(Checks, HostsWithoutGpusHaveNoRowsAboutThem) {
  HostSurvey all = {.hosts = {healthy("a")}, .links = {}};
  all.hosts[0].facts.erase("gpus");
  EXPECT_THAT(table_of(rows_for({.all = all, .version = "1", .program = "p"}, false)),
              ::testing::Not(HasSubstr("GPU")));
}

// Of the row "reachable" of the second of two hosts, the first of which is healthy.
std::string beside_a_healthy_host(const HostReport& host) {
  const HostSurvey all = {.hosts = {healthy("a"), host}, .links = {}};
  for (const CheckRow& row : rows_for({.all = all, .version = "1", .program = "p"}, true)) {
    if (row.hosts.front() == "a") {
      EXPECT_EQ(row.finding.level, Level::Ok) << row.check << ": " << row.finding.what;
    } else if (row.check == "reachable") {
      return row.finding.what;
    }
  }
  return "";
}

TEST(Checks, AHostWhoseAnswersCannotBeReadHidesNoOther) {
  constexpr void (*kChanges[])(HostReport&) = {
      [](HostReport& host) { host.facts = "text"; },
      [](HostReport& host) { host.facts["isa"] = 3; },
      [](HostReport& host) { host.facts["gpus"] = "many"; },
      [](HostReport& host) {
        host.facts["gpus"] = Json::array({Json{{"name", 3}}});
      },
      [](HostReport& host) { host.facts["gpus"] = Json::array({Json::object()}); },
      [](HostReport& host) { host.nccl = Json::object(); },
      [](HostReport& host) { host.nccl["bytes_per_second"] = "fast"; },
      [](HostReport& host) { host.programs = 7; }};
  for (const auto& change : kChanges) {
    HostReport host = healthy("b");
    change(host);
    EXPECT_EQ(beside_a_healthy_host(host), "its answers cannot be read")
        << &change - std::begin(kChanges);
  }
}

TEST(Checks, ALinkWhoseAnswerCannotBeReadIsAProblem) {
  HostSurvey all = {.hosts = {healthy("a"), healthy("b")}, .links = {}};
  for (const Json& answer : {Json("text"), Json({{"error", 3}}), Json::object(),
                             Json({{"bytes_per_second", "x"}, {"latency_seconds", 1}})}) {
    all.links = {{0, 1, answer}};
    EXPECT_EQ(worst_of(link_rows(all)), Level::Problem) << answer;
  }
}

TEST(Checks, HostsWithTheSameFindingShareARow) {
  const HostSurvey all = {.hosts = {healthy("a"), healthy("b")}, .links = {}};
  for (const CheckRow& row : rows_for({.all = all, .version = "1", .program = "p"}, true)) {
    EXPECT_EQ(row.hosts.size(), 2u) << row.check;
    EXPECT_EQ(row.finding.level, Level::Ok) << row.check << row.finding.what;
  }
}

// Of one row; empty: there is none.
std::string told(const CheckContext& context, const std::string& check) {
  for (const CheckRow& row : rows_for(context, true)) {
    if (row.check == check) return row.finding.what;
  }
  return "";
}

TEST(Checks, EachInterfaceIsListedOnceWhateverItsName) {
  HostReport host = healthy("a");
  host.facts["interfaces"] = {{{"name", "eth10"}, {"address", "10.0.0.1"}},
                              {{"name", "eth1"}, {"address", "10.0.1.1"}},
                              {{"name", "eth1"}, {"address", "fd00::1"}}};
  const HostSurvey all = {.hosts = {host}, .links = {}};
  EXPECT_EQ(told({.all = all, .version = "1", .program = "p"}, "interfaces"), "eth10, eth1");
}

TEST(Checks, TheNameOfTheFirstHostMustNotResolveToLoopback) {
  HostSurvey all = {.hosts = {healthy("a"), healthy("b")}, .links = {}};
  const CheckContext context = {.all = all, .version = "1", .program = "p"};
  EXPECT_EQ(told(context, "own name"), "");
  all.hosts[0].facts["host"] = "a";
  all.hosts[0].facts["way_to_itself"] = "10.0.0.1";
  all.hosts[1].facts["host"] = "b";
  all.hosts[1].facts["way_to_itself"] = "127.0.0.1";
  EXPECT_EQ(told(context, "own name"), "resolves to 10.0.0.1");
  all.hosts[0].facts["way_to_itself"] = "127.0.0.1";
  EXPECT_EQ(told(context, "own name"), "a resolves to 127.0.0.1 there");
  EXPECT_EQ(worst_of(rows_for(context, true)), Level::Problem);
  EXPECT_EQ(worst_of(rows_for(context, false)), Level::Ok) << "with --interface it may go well";
  all.hosts[1].facts["host"] = "a";
  EXPECT_EQ(told(context, "own name"), "") << "two names of one machine";
}

TEST(Checks, ASingleHostIsNotComparedWithOthers) {
  const HostSurvey all = {.hosts = {healthy("a")}, .links = {}};
  const CheckContext context = {.all = all, .version = "1", .program = "p"};
  EXPECT_THAT(told(context, "compute"), HasSubstr("100 GFLOP/s in a simple loop on all cores"));
  EXPECT_EQ(told(context, "clock"), "") << "this machine's clock is its own";
}

TEST(Checks, ALittleStolenTimeIsShownAsBelowTwoPercent) {
  HostSurvey all = {.hosts = {healthy("a")}, .links = {}};
  const CheckContext context = {.all = all, .version = "1", .program = "p"};
  EXPECT_EQ(told(context, "stolen time"), "none");
  all.hosts[0].compute["stolen"] = 0.016;
  EXPECT_EQ(told(context, "stolen time"), "below 2 %");
}

TEST(Checks, ValuesThatAMachineDoesNotProvideAreMarked) {
  HostReport host = healthy("a");
  host.facts.erase("governor");
  host.facts["transparent_huge_pages"] = nullptr;
  const HostSurvey all = {.hosts = {host}, .links = {}};
  const CheckContext context = {.all = all, .version = "1", .program = "p"};
  EXPECT_EQ(told(context, "governor"), "not available on this machine");
  EXPECT_EQ(told(context, "huge pages"), "not available on this machine");
  EXPECT_EQ(told(context, "Slurm"), "none (only --launcher slurm needs it)");
}

TEST(Checks, AdviceForAnUnreachableHostDependsOnTheRoute) {
  HostSurvey all = {.hosts = {healthy("n1")}, .links = {}};
  all.hosts[0].unreachable = "srun: error: Invalid partition name";
  const auto rows = rows_for(
      {.all = all, .version = "1", .program = "p", .reach_advice = "try 'srun hostname'"}, true);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].finding.advice, "try 'srun hostname'");
  all.hosts[0].advice = "another --remote-dir";
  const CheckContext context = {
      .all = all, .version = "1", .program = "p", .reach_advice = "try 'srun hostname'"};
  EXPECT_EQ(rows_for(context, true)[0].finding.advice, "another --remote-dir");
}

TEST(Checks, ALinkThatIsSlowOrClosedIsNamed) {
  HostSurvey all = {.hosts = {healthy("a"), healthy("b"), healthy("c")}, .links = {}};
  const Json good = {{"bytes_per_second", 1e8}, {"latency_seconds", 5e-5}, {"interface", "eth0"}};
  Json slow = good, far = good;
  slow["bytes_per_second"] = 1e7;
  far["latency_seconds"] = 1e-3;
  all.links = {{0, 1, good}, {1, 0, good}, {0, 2, good}, {1, 2, slow}, {2, 0, far}};
  all.links.push_back({2, 1, {{"error", "nothing answers"}}});
  const std::vector<CheckRow> rows = link_rows(all);
  EXPECT_EQ(rows[0].finding.level, Level::Ok);
  EXPECT_EQ(rows[3].finding.level, Level::Warning);
  EXPECT_EQ(rows[3].hosts.front(), "b to c");
  EXPECT_EQ(rows[4].finding.level, Level::Warning);
  EXPECT_EQ(rows[5].finding.level, Level::Problem);
}

}  // namespace
}  // namespace lockstep
