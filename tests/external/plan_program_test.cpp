#include "external/plan_program.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "external/definition_file.h"
#include "external/ready_programs.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Argv = std::vector<std::string>;

const Addresses kAddresses = {
    .servers = {"127.0.0.1:1"}, .workers = {"127.0.0.1:2", "127.0.0.1:3"}, .port = "4"};

Program program_of(const std::string& text) {
  ReadProgram read = read_program(text + "\n[output]\ntotal = '(.*)'\n", "x.toml");
  EXPECT_THAT(read.problems, IsEmpty());
  read.program.name = "x";
  read.program.folder = "/the/folder";
  return read.program;
}

RunConfig run_of(int devices) {
  return {.model = "resnet50", .batch_size = 32, .num_batches = 50, .num_devices = devices};
}

TEST(PlanProgram, OneProcessGetsAllDevices) {
  const Program program = program_of(
      "command = ['run', '{here}', '{model}', '-b{batch_size}', '-n', '{num_batches}', "
      "'{num_devices}', '{rank}/{size}']");
  const auto plan = plan_program(program, run_of(4), kAddresses);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].argv, (Argv{"run", "/the/folder", "resnet50", "-b32", "-n", "50", "4", "0/1"}));
  EXPECT_EQ(plan[0].name, "x");
}

TEST(PlanProgram, ValuesAreWordsAndNeverShellText) {
  const Program program = program_of("command = ['run', '{model}', '{data_dir}']");
  RunConfig run = run_of(1);
  run.model = "a b; $(touch x) 'y' \"z\"";
  run.data_dir = "/with space/{model}";
  EXPECT_EQ(plan_program(program, run, kAddresses)[0].argv, (Argv{"run", run.model, run.data_dir}));
}

TEST(PlanProgram, AnOptionalArgumentWithoutValueIsLeftOut) {
  const Program program = program_of("command = ['run', ['--data', '{data_dir}'], 'end']");
  RunConfig run = run_of(1);
  EXPECT_EQ(plan_program(program, run, kAddresses)[0].argv, (Argv{"run", "end"}));
  run.data_dir = "/d";
  EXPECT_EQ(plan_program(program, run, kAddresses)[0].argv, (Argv{"run", "--data", "/d", "end"}));
}

TEST(PlanProgram, ArithmeticIsComputed) {
  const Program program = program_of(
      "command = ['run', '--threads={threads*num_devices}']\n[env]\nN = '{(threads+1)*2}'");
  RunConfig run = run_of(2);
  run.threads = 3;
  const auto plan = plan_program(program, run, kAddresses);
  EXPECT_EQ(plan[0].argv[1], "--threads=6");
  EXPECT_EQ(plan[0].env.at("N"), "8");
}

TEST(PlanProgram, ArithmeticThatCannotBeComputedNamesItsLine) {
  const Program program = program_of("command = ['run']\nenv.A = '{model*2}'\nenv.B = '{1/rank}'");
  try {
    plan_program(program, run_of(1), kAddresses);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "x.toml:2: env.A: '{model*2}': model is 'resnet50', not a whole number\n"
                 "x.toml:3: env.B: '{1/rank}' divides by 0");
  }
}

TEST(PlanProgram, AVariableWithoutValueIsNotSet) {
  const Program program = program_of("command = ['run']\nenv.A = '{data_dir}'");
  EXPECT_EQ(plan_program(program, run_of(1), kAddresses)[0].env.count("A"), 0u);
}

TEST(PlanProgram, ARequiredArgumentWithoutValueIsRejected) {
  const Program program = program_of("command = ['run', '--data={data_dir}']");
  EXPECT_THROW(plan_program(program, run_of(1), kAddresses), UsageError);
}

TEST(PlanProgram, OneProcessPerDeviceKnowsItsRank) {
  const Program program = program_of(
      "command = ['run', '{rank}', '{size}', '{num_devices}']\nstart = 'per_device'\n"
      "[env]\nCUDA_VISIBLE_DEVICES = '{rank}'\nMASTER_PORT = '{port}'");
  const auto plan = plan_program(program, run_of(2), kAddresses);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[1].argv, (Argv{"run", "1", "2", "1"}));
  EXPECT_EQ(plan[1].env.at("CUDA_VISIBLE_DEVICES"), "1");
  EXPECT_EQ(plan[0].env.at("MASTER_PORT"), "4");
  EXPECT_EQ(plan[1].name, "worker 1");
}

TEST(PlanProgram, MpirunStartsTheRanksUnbound) {
  const Program program = program_of("command = ['run', '{size}']\nstart = 'mpirun'");
  const auto plan = plan_program(program, run_of(2), kAddresses);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].argv,
            (Argv{"mpirun", "-np", "2", "--bind-to", "none", "--map-by", "slot", "run", "2"}));
}

TEST(PlanProgram, RolesAreServersAndWorkersThatKnowEachOther) {
  const Program program = program_of(
      "command = ['run', '--job={job_name}', '--task={task_index}', '{ps_hosts}', "
      "'{worker_hosts}']\nstart = 'roles'");
  const auto plan = plan_program(program, run_of(2), kAddresses);
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_EQ(plan[0].role, Command::Role::Server);
  EXPECT_EQ(plan[0].argv,
            (Argv{"run", "--job=ps", "--task=0", "127.0.0.1:1", "127.0.0.1:2,127.0.0.1:3"}));
  EXPECT_EQ(plan[2].role, Command::Role::Worker);
  EXPECT_EQ(plan[2].argv[1], "--job=worker");
  EXPECT_EQ(plan[2].argv[2], "--task=1");
}

TEST(PlanProgram, NamesAreTranslatedAndUnknownOnesRejected) {
  const Program program =
      program_of("command = ['run', '{model}']\n[names.model]\nresnet50 = 'ResNet50'");
  EXPECT_EQ(plan_program(program, run_of(1), kAddresses)[0].argv[1], "ResNet50");
  RunConfig run = run_of(1);
  run.model = "vgg16";
  try {
    plan_program(program, run, kAddresses);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--model vgg16: not supported by x; use one of resnet50");
  }
}

TEST(PlanProgram, AnOptionThatTheProgramDoesNotTakeIsRejected) {
  const Program program = program_of("command = ['run', '{model}', '{batch_size}']");
  RunConfig run = {.model = "resnet50", .batch_size = 8};
  run.result = "r.json";
  EXPECT_THAT(unsupported_options(program, run), IsEmpty());
  run.optimizer = "adam";
  run.num_devices = 2;
  EXPECT_THAT(
      unsupported_options(program, run),
      ElementsAre(
          StartsWith("--optimizer adam: not supported by x; its command has no {optimizer}"),
          StartsWith("--num-devices 2: ")));
}

TEST(PlanProgram, FixedOptionsAreNotedAndOthersRefused) {
  const Program program =
      program_of("command = ['run']\n[fixed]\nmodel = 'vgg16'\nbatch_size = '64'");
  const RunConfig run = with_fixed_options(program, {});
  EXPECT_EQ(run.model, "vgg16");
  EXPECT_EQ(run.batch_size, 64);
  EXPECT_THROW(with_fixed_options(program, {.model = "alexnet"}), UsageError);
}

TEST(PlanProgram, OptionsCanBeFixedOnOneDevice) {
  const Program program = program_of(
      "command = ['run', '{data_format}']\n[fixed_on.cpu]\ndata_format = 'NHWC'\nthreads = '1'");
  EXPECT_EQ(with_fixed_options(program, {}).data_format, "NHWC");
  EXPECT_EQ(with_fixed_options(program, {.device = "cuda:1"}).data_format, "NCHW");
  EXPECT_THAT(unsupported_options(program, {.threads = 1}), IsEmpty());
  EXPECT_THAT(unsupported_options(program, {.device = "cpu", .threads = 2}), IsEmpty());
  try {
    with_fixed_options(program, {.threads = 2});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--threads 2: not supported by x; it always uses 1 on cpu");
  }
}

TEST(PlanProgram, TfCnnBenchmarksIsStartedAsTheUpdateNeeds) {
  const Program program = load_program("tf_cnn_benchmarks");
  RunConfig run = run_of(2);
  run.variable_update = "replicated";
  const auto local = plan_program(program, run, kAddresses);
  ASSERT_EQ(local.size(), 1u);
  EXPECT_THAT(local[0].argv, Contains("--num_gpus=2"));
  EXPECT_THAT(local[0].argv, Not(Contains(HasSubstr("job_name"))));

  run.variable_update = "horovod";
  const auto ranks = plan_program(program, run, kAddresses);
  EXPECT_EQ(ranks.at(0).argv[0], "mpirun");
  EXPECT_THAT(ranks[0].argv, Contains("--num_gpus=1"));

  run.variable_update = "distributed_replicated";
  const auto roles = plan_program(program, run, kAddresses);
  ASSERT_EQ(roles.size(), 3u);
  EXPECT_THAT(roles[1].argv, Contains("--job_name=worker"));
  EXPECT_THAT(roles[1].argv, Contains("--ps_hosts=127.0.0.1:1"));

  run.variable_update = "parameter_server";
  EXPECT_EQ(plan_program(program, run, kAddresses).size(), 3u);
  EXPECT_EQ(plan_program(program, run_of(1), kAddresses).size(), 1u);

  run.variable_update = "collective_all_reduce";
  const auto workers = plan_program(program, run, {.servers = {}, .workers = {"a:1", "b:2"}});
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_THAT(workers[1].argv, Contains("--job_name=worker"));
  EXPECT_THAT(workers[1].argv, Contains("--worker_hosts=a:1,b:2"));
  EXPECT_THAT(workers[1].argv, Not(Contains(HasSubstr("ps_hosts"))));

  run.variable_update = "distributed_all_reduce";  // wants a controller as well
  EXPECT_THROW(plan_program(program, run, kAddresses), UsageError);
}

TEST(PlanProgram, HorovodsScriptsAreToldToLeaveGpusAloneOnCpus) {
  for (const char* name : {"horovod_pytorch", "horovod_tensorflow"}) {
    const Program program = load_program(name);
    RunConfig run = run_of(2);
    run.model = "vgg16";
    EXPECT_EQ(plan_program(program, run, kAddresses).at(0).argv.back(), "--no-cuda") << name;
    run.device = "cuda";
    EXPECT_EQ(plan_program(program, run, kAddresses).at(0).argv.back(), "50") << name;
  }
}

TEST(PlanProgram, AllWorkersThatOneProcessReportsAreExpected) {
  EXPECT_EQ(reporting_workers(load_program("torchrun_ddp"), run_of(2)), 2);
  EXPECT_EQ(reporting_workers(load_program("tf_cnn_benchmarks"), run_of(2)), 1);
}

}  // namespace
}  // namespace lockstep
