// Whole runs of lockstep-torch on the fake accelerator and the fake NCCL, with processes as
// workers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/json.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr const char* kSmall =
    " --model lenet --batch-size 4 --threads 1 --num-warmup-batches 1 --num-batches 4 "
    "--display-every 1";

class FakeProgram : public ::testing::Test {
 protected:
  struct Outcome {
    int code;
    std::string out, err;
  };

  Outcome train(const std::string& arguments, const std::string& environment = "") const {
    return run(std::string("train --result result.json") + kSmall + " " + arguments, environment);
  }
  Outcome run(const std::string& arguments, const std::string& environment = "") const {
    const std::string line = "cd " + temporary_.path().string() + " && " + environment + " " +
                             program() + " " + arguments + " >out 2>err";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_in("out"), text_in("err")};
  }
  // Another one, of mutate.py.
  static std::string program() {
    const char* const other = std::getenv("FAKE_PROGRAM");
    return other ? other : FAKE_PROGRAM;
  }
  std::string text_in(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(temporary_.path(name)).rdbuf();
    return text.str();
  }
  // All that is no note.
  static std::string complaints_in(const std::string& err) {
    std::istringstream lines(err);
    std::string complaints;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("note: ")) complaints += line + "\n";
    }
    return complaints;
  }
  double last_loss() const { return Json::parse(text_in("result.json")).at("last_loss"); }

  TemporaryDirectory temporary_;
};

struct Case {
  const char* name;
  const char* arguments;
  bool nccl;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

class EveryStrategy : public FakeProgram, public ::testing::WithParamInterface<Case> {};

TEST_P(EveryStrategy, OnFourGpusHasTheLossesOfFourCpus) {
  const std::string arguments = std::string("--num-gpus 4 ") + GetParam().arguments;
  const Outcome on_cpus = train("--device cpu " + arguments);
  ASSERT_EQ(on_cpus.code, 0) << on_cpus.err;
  const double expected = last_loss();
  const Outcome on_gpus = train("--device gpu " + arguments);
  ASSERT_EQ(on_gpus.code, 0) << on_gpus.err;
  EXPECT_THAT(on_gpus.out, HasSubstr("\ntotal images/sec: "));
  EXPECT_THAT(on_gpus.out, HasSubstr("'/gpu:3'"));
  EXPECT_EQ(on_gpus.out.find("nccl") != std::string::npos, GetParam().nccl) << on_gpus.out;
  EXPECT_NEAR(last_loss(), expected, 1e-3 * expected);
}

constexpr Case kCases[] = {
    {"independent", "--variable-update independent", false},
    {"replicated", "--variable-update replicated", true},
    {"replicated_small_buckets", "--variable-update replicated --bucket-mb 0.01", true},
    {"replicated_no_overlap", "--variable-update replicated --no-overlap", true},
    {"replicated_over_the_host", "--variable-update replicated --communicator shm", false},
    {"replicated_relaxed", "--variable-update replicated --variable-consistency relaxed", false},
    {"horovod", "--variable-update horovod", true},
    {"collective_all_reduce", "--variable-update collective_all_reduce", true},
    {"distributed_all_reduce", "--variable-update distributed_all_reduce", true},
    {"parameter_server", "--variable-update parameter_server --num-ps 1", false},
    {"distributed_replicated", "--variable-update distributed_replicated --num-ps 1", false},
};
INSTANTIATE_TEST_SUITE_P(, EveryStrategy, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST_F(FakeProgram, ADeadRankEndsTheRunAndIsNamed) {
  const Outcome outcome =
      train("--device gpu --num-gpus 3 --variable-update replicated", "FAKE_NCCL_FAULT=1:3:die");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("rank 1"));
}

TEST_F(FakeProgram, ARankThatHangsEndsTheRun) {
  const Outcome outcome =
      train("--device gpu --num-gpus 3 --variable-update replicated --stall-timeout 4",
            "FAKE_NCCL_FAULT=1:3:hang");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("NCCL failed"));
}

TEST_F(FakeProgram, ACallOfNcclThatDoesNotReturnEndsTheRun) {
  const Outcome outcome =
      train("--device gpu --num-gpus 2 --variable-update replicated --stall-timeout 4",
            "FAKE_NCCL_FAULT=1:3:block");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("NCCL failed: "));
}

TEST_F(FakeProgram, AnInterfaceIsAlsoThatOfNccl) {
  const std::string arguments = "--device gpu --num-gpus 2 --variable-update replicated ";
  const std::string trace = "FAKE_NCCL_TRACE=trace";
  ASSERT_EQ(train(arguments + "--interface lo", trace).code, 0);
  EXPECT_EQ(text_in("trace"), "NCCL_SOCKET_IFNAME==lo NCCL_RUNTIME_CONNECT=0\n");
  ASSERT_EQ(train(arguments + "--interface lo", trace + " NCCL_SOCKET_IFNAME=own").code, 0);
  EXPECT_THAT(text_in("trace"), HasSubstr("NCCL_SOCKET_IFNAME=own "));
}

// Rank 1 finds a file in place of NCCL that is none.
TEST_F(FakeProgram, RanksThatDisagreeOnNcclAreNamed) {
  std::filesystem::create_directory(temporary_.path("broken"));
  for (const char* library : {"broken/libnccl.so.2", "broken/librccl.so.1"}) {
    std::ofstream(temporary_.path(library)) << "no library";
  }
  const int port = 20000 + getpid() % 20000;
  const std::string line = fmt::format(
      "train {} --device privateuseone --variable-update replicated --job-name worker "
      "--worker-hosts 127.0.0.1:{},127.0.0.1:{} --task-index ",
      kSmall, port, port + 1);
  const Outcome outcome = run(line + "0", "{ LD_LIBRARY_PATH=broken " + program() + " " + line +
                                              "1 >out1 2>err1 & } && env");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("where parameters live differs"), HasSubstr("worker 1"),
                                 HasSubstr("'host memory, because NCCL is not found'")));
}

// Before, during and after the update of a first step, and where all steps are queued.
TEST_F(FakeProgram, AFaultOfTheDeviceEndsTheRunWithOneLine) {
  for (const char* kernels : {"10", "100", "150", "200", "300"}) {
    for (const char* arguments : {"", "--dtype fp16 --fp16-enable-auto-loss-scale", "--graph",
                                  "--local-parameter-device cpu"}) {
      SCOPED_TRACE(fmt::format("after {} kernels: {}", kernels, arguments));
      const Outcome outcome = train(std::string("--device gpu --num-warmup-batches 8 ") + arguments,
                                    std::string("FAKE_DEVICE_FAULT=") + kernels);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_EQ(complaints_in(outcome.err), "lockstep: fake accelerator: illegal memory access\n");
    }
  }
}

TEST_F(FakeProgram, TooLittleMemoryEndsTheRunWithOneLineAndARemedy) {
  const Outcome outcome = train("--device gpu --batch-size 64", "FAKE_DEVICE_MEMORY=3000000");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(complaints_in(outcome.err),
              MatchesRegex("lockstep: fake accelerator out of memory: [^\n]*; use a smaller "
                           "--batch-size\n"));
}

TEST_F(FakeProgram, MoreWorkersThanGpusAreRefused) {
  const Outcome outcome = train("--device gpu --num-gpus 5 --variable-update replicated");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("5 workers but 4 GPUs; use at most 4 workers there"));
}

TEST_F(FakeProgram, NcclIsRefusedWhereItCannotBeUsed) {
  const Outcome outcome = train("--device cpu --num-gpus 2 --communicator nccl");
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("--communicator nccl: --device cpu has no GPUs"));
}

TEST_F(FakeProgram, ACheckpointOfGpusContinuesOnCpus) {
  const std::string common =
      "--num-gpus 2 --variable-update replicated --optimizer momentum --num-warmup-batches 0 ";
  ASSERT_EQ(train("--device cpu " + common + "--num-batches 7").code, 0);
  const double expected = last_loss();
  ASSERT_EQ(train("--device gpu " + common + "--train-dir there --num-batches 3").code, 0);
  const Outcome outcome = train("--device cpu " + common + "--train-dir there --num-batches 7");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("resuming from"));
  EXPECT_THAT(outcome.err, HasSubstr("step 3\n"));
  EXPECT_NEAR(last_loss(), expected, 1e-3 * expected);
}

TEST_F(FakeProgram, SaysWhichDeviceItUsesAndThatNoGpuWasTried) {
  const Outcome outcome = train("--device gpu");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nDevice:      privateuseone (4 GPUs found)\n"));
  constexpr const char* kNote = "not yet run on GPU hardware by the project";
  EXPECT_THAT(outcome.err, HasSubstr(kNote));
  EXPECT_THAT(text_in("result.json"), HasSubstr(kNote));
}

TEST_F(FakeProgram, GpuMeansWhateverAcceleratorIsThere) {
  ASSERT_EQ(run("allreduce --device gpu --num-devices 2 --maxbytes 1K --iters 1 --result r").code,
            0);
  EXPECT_EQ(Json::parse(text_in("r")).at("device"), "privateuseone");

  const Outcome tested = run("selftest --device gpu --num-devices 1 --passes 1");
  EXPECT_EQ(tested.code, 0) << tested.out << tested.err;
  EXPECT_THAT(tested.out, HasSubstr("privateuseone:0"));

  const std::string small = "--num-warmup-batches 1 --num-batches 5 --threads 1 --repeats 1 ";
  const Outcome swept = run("sweep --device cpu,gpu --models trivial:2 --num-devices 1 " + small);
  EXPECT_EQ(swept.code, 0) << swept.err;
  EXPECT_THAT(swept.out, HasSubstr("privateuseone"));

  const Outcome tuned = run("tune --device gpu --model trivial --batch-size 2 -g1 " + small);
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("--device=privateuseone"));
}

// What it is on other hosts only they know.
TEST_F(FakeProgram, GpuIsNamedByTheHostThatHasIt) {
  const Outcome outcome = train("--device gpu --hosts one,two --num-gpus 2 --dry-run");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("--device=gpu"));
}

TEST_F(FakeProgram, CudnnIsALibraryOfCudaOnly) {
  for (const char* device : {"cpu", "gpu"}) {
    ASSERT_EQ(train(std::string("--device ") + device).code, 0);
    EXPECT_FALSE(Json::parse(text_in("result.json")).at("libraries").contains("cuDNN")) << device;
  }
}

TEST_F(FakeProgram, ParametersStayOnTheHostOnRequest) {
  const std::string arguments = "--device gpu --num-gpus 2 --variable-update replicated ";
  ASSERT_EQ(train(arguments).code, 0);
  const double expected = last_loss();
  const Outcome outcome = train(arguments + "--local_parameter_device=cpu");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("nccl")));
  EXPECT_NEAR(last_loss(), expected, 1e-3 * expected);
}

struct Precision {
  const char* arguments;
  const char* name;
  double tolerance;
};

TEST_F(FakeProgram, SixteenBitsTrainAsF32Does) {
  // At the network's own rate the loss explodes on synthetic images, beyond what 16 bits hold.
  const std::string common =
      "--device gpu --num-gpus 2 --variable-update replicated --init-learning-rate 1e-6 ";
  ASSERT_EQ(train(common).code, 0);
  const double expected = last_loss();
  for (const auto& [arguments, name, tolerance] :
       {Precision{"--dtype fp16", "fp16", 0.01},
        {"--dtype bf16", "bf16", 0.05},
        {"--use_fp16 --fp16_enable_auto_loss_scale", "fp16", 0.01},
        {"--precision fp16 --communicator shm", "fp16", 0.01}}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = train(common + arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\nPrecision:   ") + name + "\n"));
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("GFLOP/s of matrix products"));
    EXPECT_NEAR(last_loss(), expected, tolerance * expected);
    EXPECT_EQ(Json::parse(text_in("result.json")).at("config").at("dtype"), name);
  }
}

TEST_F(FakeProgram, AnOverflowIsPartOfTheResult) {
  const Outcome outcome =
      train("--device gpu --dtype fp16 --fp16-enable-auto-loss-scale --fp16-loss-scale 16777216");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json scale = Json::parse(text_in("result.json")).at("loss_scale");
  EXPECT_GT(scale.at("skipped_updates"), 0);
  EXPECT_LT(scale.at("last"), 16777216);
  EXPECT_THAT(outcome.err, HasSubstr("left out, because gradients overflowed"));
}

TEST_F(FakeProgram, AGraphTrainsAsStepsDoThatAreQueued) {
  for (const std::string common : {"", "--dtype fp16 --init-learning-rate 1e-6 ",
                                   "--num-gpus 2 --variable-update independent "}) {
    SCOPED_TRACE(common);
    ASSERT_EQ(train("--device gpu " + common).code, 0);
    const double expected = last_loss();
    const Outcome outcome = train("--device gpu --graph " + common);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NEAR(last_loss(), expected, 1e-5 * expected);
    const Json result = Json::parse(text_in("result.json"));
    EXPECT_EQ(result.at("config").at("graph"), true);
    EXPECT_THAT(result.at("notes").dump(), HasSubstr("forward holds the whole step"));
  }
}

TEST_F(FakeProgram, GraphsAreRefusedWithTheReason) {
  for (const auto& [arguments, reason] :
       {std::pair{"--device cpu --graph", "--graph requires a GPU"},
        {"--device gpu --graph --forward-only", "--graph captures training steps"},
        {"--device gpu --graph --num-gpus 2 --variable-update replicated",
         "2 workers exchange gradients with NCCL, which cannot be aborted"},
        {"--device gpu --graph --num-gpus 2 --variable-update replicated --communicator shm",
         "but gradients do not go through NCCL"},
        {"--device gpu --graph --local-parameter-device cpu",
         "--local-parameter-device cpu keeps parameters in host memory"},
        {"--device gpu --graph --num-gpus 2 --variable-update parameter_server",
         "parameter servers live in host memory"}}) {
    const Outcome outcome = train(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(reason));
  }
}

TEST_F(FakeProgram, PrecisionsThatADeviceDoesNotHaveAreRefused) {
  for (const auto& [arguments, reason] :
       {std::pair{"--device gpu --dtype tf32", "only GPUs of NVIDIA have it"},
        {"--device cpu --dtype fp16", "--dtype fp16 requires a GPU"},
        {"--device gpu --num-gpus 2 --communicator shm --dtype fp16 --fp16-enable-auto-loss-scale",
         "--fp16-enable-auto-loss-scale requires parameters in GPU memory"}}) {
    const Outcome outcome = train(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(reason));
  }
}

TEST_F(FakeProgram, AllReduceMeasuresNcclAndChecksEveryNumber) {
  const Outcome outcome = run(
      "allreduce --device privateuseone --num-devices 4 --maxbytes 1M --iters 3 --result out.json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(text_in("out.json"));
  EXPECT_EQ(result.at("communicator"), "nccl");
  EXPECT_EQ(result.at("rows").size(), 6u);
  for (const Json& row : result.at("rows")) EXPECT_EQ(row.at("wrong"), 0);
}

TEST_F(FakeProgram, AllReduceEndsWhenARankDies) {
  const Outcome outcome =
      run("allreduce --device privateuseone --num-devices 3 --maxbytes 1M --iters 3",
          "FAKE_NCCL_FAULT=1:5:die");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("rank 1"));
}

TEST_F(FakeProgram, SelfTestPassesInEveryPrecision) {
  const Outcome outcome = run("selftest --device privateuseone --num-devices 2 --passes 1");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  for (const char* check : {"operations f32", "operations fp16", "operations bf16",
                            "pinned memory to device", "device to pinned memory", "networks"}) {
    EXPECT_THAT(outcome.out, HasSubstr(check));
  }
}

TEST_F(FakeProgram, AnswersOnTheCpuWhenTheFakeIsNotWanted) {
  const Outcome outcome = train("");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("'/cpu:0'"), Not(HasSubstr("gpu"))));
}

}  // namespace
}  // namespace lockstep
