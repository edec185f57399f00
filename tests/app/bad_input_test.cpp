// What the program itself says to bad input: one line for each problem, the right exit code, and
// nothing half-written.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code;
  std::string out;
  std::vector<std::string> err;  // lines
};

class BadInput : public ::testing::Test {
 protected:
  std::string text_in(const fs::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // Runs the program in an otherwise empty directory.
  Outcome run(const std::string& arguments) const {
    const fs::path work = directory_ / "work";
    fs::create_directory(work);
    const std::string line = "cd " + work.string() + " && XDG_CACHE_HOME=" + work.string() + " " +
                             program_ + " " + arguments + " >../out 2>../err";
    const int status = std::system(line.c_str());
    std::vector<std::string> err = split(text_in(directory_ / "err"), '\n');
    if (!err.empty() && err.back().empty()) err.pop_back();
    EXPECT_TRUE(fs::is_empty(work)) << arguments;
    return {WEXITSTATUS(status), text_in(directory_ / "out"), err};
  }
  void expect_one_line(const std::string& arguments, int code, const std::string& part) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    ASSERT_EQ(outcome.err.size(), 1u) << arguments << "\n" << text_in(directory_ / "err");
    EXPECT_TRUE(outcome.err[0].starts_with("lockstep: ")) << outcome.err[0];
    EXPECT_NE(outcome.err[0].find(part), std::string::npos) << outcome.err[0];
  }
  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
  std::string program_ = lockstep_program();
};

TEST_F(BadInput, UnknownNamesAreUsageErrorsWithASuggestion) {
  expect_one_line("trian", 2, "did you mean train?");
  expect_one_line("train --model resnet51", 2, "resnet50");
  expect_one_line("train --framework pytorsh", 2, "did you mean pytorch?");
  expect_one_line("train --framework pytorch --python pytorsh=/x", 2, "did you mean pytorch?");
  expect_one_line("sweep --models lenet --python pytorsh=/x", 2, "did you mean pytorch?");
  expect_one_line("doctor --framework jaxx", 2, "did you mean jax?");
  expect_one_line("train --modle=lenet", 2, "did you mean --model?");
  expect_one_line("train --optimizer=lars", 2, "sgd, momentum, rmsprop, adam");
  expect_one_line("train --engine=abacus", 2, "native");
  expect_one_line("train --data-name=coco", 2, "imagenet");
  expect_one_line("models nosuchnet", 2, "nosuchnet");
  expect_one_line("bench --models nosuchnet:3", 2, "nosuchnet");
  expect_one_line("data chek", 2, "unknown command 'data chek'; did you mean check?");
  expect_one_line("train lenet", 2, "did you mean --model lenet?");
  expect_one_line("train --model lenet:32", 2, "--batch-size 32");
  // The value of an unknown option is no sweep file.
  expect_one_line("sweep --models lenet:32 --num-devicse 1,2", 2,
                  "unknown option --num-devicse; did you mean --num-devices?");
  expect_one_line("sweep --wrong x", 2, "unknown option --wrong; 'lockstep sweep --help'");
}

TEST_F(BadInput, BadValuesAreUsageErrors) {
  expect_one_line("train --batch-size=lots", 2, "not 'lots'");
  expect_one_line("train --num-batches=0", 2, "--num-batches");
  expect_one_line("train --display-every=0", 2, "--display-every");
  expect_one_line("train --momentum=1.5", 2, "--momentum");
  expect_one_line("train --piecewise-learning-rate-schedule='1;2'", 2, "--piecewise");
  expect_one_line("train --device=tpu", 2,
                  "--device must be one of cpu, gpu, cuda, cuda:N, xpu, xpu:N, mps, privateuseone, "
                  "privateuseone:N, not 'tpu'; --engine native supports cpu only, --engine torch "
                  "all of them");
  expect_one_line("train --engine=native --device=cuda", 2,
                  "--device cuda: --engine native supports cpu only; use --device cpu, or --engine "
                  "torch on a host with a GPU");
  expect_one_line("train --variable-update replicate", 2, "did you mean replicated?");
  expect_one_line("train --variable-update ps", 2, "one of independent, replicated, ");
  expect_one_line("train --fake-location gpuu", 2, "did you mean gpu?");
  expect_one_line("train --data_format NHCW", 2, "did you mean N");
  expect_one_line("train --variable_update=replicated/parameter_server", 2, "'lockstep sweep'");
  expect_one_line("train --conv-algo ''", 2, "--conv-algo must be one of");
  expect_one_line("train --num-gpus=0", 2, "--num-devices");
  expect_one_line("train --model trivial --num-devices=5000", 2,
                  "5000 processes on this machine: use at most 4096");
  expect_one_line("train --num-gpus=8 --variable-update=parameter_server --num-ps=0", 2,
                  "--num-ps");
  expect_one_line("train --num-gpus=2 --all-reduce-spec=xring:3", 2, "all-reduce-spec");
  expect_one_line("train lenet", 2, "unexpected argument 'lenet'");
  expect_one_line("train --model", 2, "needs a value");
  expect_one_line("models --num-classes=1", 2, "--num-classes");
  expect_one_line("bench --num-batches=none", 2, "--num-batches");
}

TEST_F(BadInput, UnsupportedOptionsOfTfCnnBenchmarksAreRefusedWithTheReason) {
  expect_one_line("train --use_fp16 --device cpu", 2, "--dtype fp16 requires a GPU");
  expect_one_line("train --device cpu --engine native --dtype bf16", 2,
                  "--dtype bf16: --engine native computes in f32; use --engine torch");
  expect_one_line("train --device cpu --dtype tf32", 2, "--dtype tf32 requires --device cuda");
  expect_one_line("train --fp16_vars", 2, "variables are always in f32");
  expect_one_line("train --gpu_indices 0,1", 2, "--gpu-indices requires --device cuda");
  expect_one_line("train --trt_mode=FP32", 2, "TensorRT is not supported");
  expect_one_line("train --debugger cli", 2, "--debugger: there is no TensorFlow debugger");
  const Outcome both = run("train --fp16_vars --batch-size=lots");
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(both.err.size(), 2u) << text_in(directory_ / "err");
  const Outcome harmless =
      run("train --model trivial --data-name cifar10 --num-batches 1 --num-warmup-batches 0 "
          "--use_fp16=False --server_protocol grpc --fp16_loss_scale 128 --mkl -hierarchical_copy");
  EXPECT_EQ(harmless.code, 0) << text_in(directory_ / "err");
  const std::string notes = text_in(directory_ / "err");
  EXPECT_NE(notes.find("note: --fp16-loss-scale ignored: "), std::string::npos) << notes;
  EXPECT_NE(notes.find("note: --mkl ignored: "), std::string::npos) << notes;
  EXPECT_NE(notes.find("note: --hierarchical-copy ignored: "), std::string::npos) << notes;
  EXPECT_EQ(notes.find("--use-fp16"), std::string::npos) << notes;
}

TEST_F(BadInput, DefaultsOfTfCnnBenchmarksRunAndOnlyAMissingGpuIsNoted) {
  const Outcome outcome =
      run("train --model trivial --data-name cifar10 --num-batches 1 --num-warmup-batches 0 "
          "--device=gpu --eval_dir=/tmp/tf_cnn_benchmarks/eval");
  EXPECT_EQ(outcome.code, 0) << text_in(directory_ / "err");
  const std::string notes = text_in(directory_ / "err");
  EXPECT_EQ(notes.find("--eval-dir"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("cuda"), std::string::npos) << notes;
  EXPECT_NE(notes.find("note: --device gpu: "), std::string::npos) << notes;
}

TEST_F(BadInput, ContradictionsAreReportedAllAtOnce) {
  const Outcome outcome = run(
      "train --model lenet --num-batches=3 --num-epochs=1 --trace-file=t --num-warmup-batches=1 "
      "--minimum-learning-rate=1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err.size(), 3u) << text_in(directory_ / "err");
}

TEST_F(BadInput, HostsWithoutAModelAreNotedAndTrainInception3) {
  const Outcome outcome = run("train -h a,b -g 2 -b 4 --dry-run");
  EXPECT_EQ(outcome.code, 0) << text_in(directory_ / "err");
  EXPECT_EQ(text_in(directory_ / "err"),
            "note: with --hosts and no --model, inception3 is trained\n");
  EXPECT_NE(text_in(directory_ / "out").find("--model=inception3"), std::string::npos);
}

TEST_F(BadInput, NoHostsAtAllAreAUsageError) {
  expect_one_line("train --hosts ''", 2, "--hosts is empty");
  expect_one_line("doctor --hosts ''", 2, "--hosts is empty");
}

TEST_F(BadInput, ARankAloneIsAUsageError) {
  program_ = "LOCKSTEP_RANK=1 " + program_;
  expect_one_line("train --model lenet", 2, "LOCKSTEP_RANK is set, LOCKSTEP_SIZE is not");
}

TEST_F(BadInput, AnUnknownInterfaceIsAUsageErrorEvenIfNoneIsNeeded) {
  expect_one_line("train -g 2 --interface nowhere", 2, "unknown network interface 'nowhere'");
}

TEST_F(BadInput, TheDoctorRefusesMoreHostsThanAreListed) {
  expect_one_line("doctor --hosts node1 -n 2", 2, "--nodes 2: --hosts lists only 1");
  expect_one_line("doctor -n 2", 2, "requires --hosts or --slurm");
}

TEST_F(BadInput, UnwritablePathsAreUsageErrorsBeforeTheRun) {
  for (const std::string devices : {"--num-devices=1 ", "--num-devices=2 "}) {
    const std::string lenet = "train --model lenet --num-batches=1 " + devices;
    expect_one_line(lenet + "--result=/nowhere/r.json", 2, "no such directory: /nowhere");
    expect_one_line(lenet + "--result=/", 2, "it is a directory");
    expect_one_line(lenet + "--trace-file=/proc/t.json", 2, "--trace-file");
    expect_one_line(lenet + "--benchmark-log-dir=/proc/log", 2, "--benchmark-log-dir");
    expect_one_line(lenet + "--train-dir=/proc/train", 2, "--train-dir");
    expect_one_line(lenet + "--summary-dir=/proc/summaries", 2, "--summary-dir");
  }
  expect_one_line("bench --models lenet:2 --output /proc/results", 2, "--output");
  expect_one_line("allreduce --num-devices 2 --result=/nowhere/r.json", 2, "--result");
}

TEST_F(BadInput, DataThatIsNotThereIsAUsageError) {
  expect_one_line("train --model lenet --data-dir /nowhere", 2, "cannot read directory /nowhere");
  expect_one_line("train --model lenet --data-dir /proc/self/fdinfo", 2, "has no training data");
  expect_one_line("train --model lenet --num-devices 2 --data-dir /nowhere", 2, "/nowhere");
  expect_one_line("train --model lenet --eval --train-dir /nowhere", 2, "Checkpoint not found in");
  for (const char* command : {"pack /nowhere x", "check /nowhere", "bench /nowhere"}) {
    expect_one_line(std::string("data ") + command, 2, "cannot read directory /nowhere");
  }
  expect_one_line("data make /proc/made", 2, "cannot create /proc/made");
}

TEST_F(BadInput, AnEngineThatIsNotBuiltIsAUsageError) {
  // A copy, which has no lockstep-torch beside it, whatever the build holds.
  program_ = directory_ / "lockstep";
  fs::copy_file(lockstep_program(), program_);
  expect_one_line("train --engine torch", 2, "'./run torch' builds it");
}

TEST_F(BadInput, ABatchThatCannotFitIsAFailureThatNamesOneThatDoes) {
  expect_one_line("train --model lenet --batch-size 100000000", 1, "; use --batch-size ");
}

TEST_F(BadInput, OutputThatCannotBeWrittenIsAFailure) {
  EXPECT_EQ(
      WEXITSTATUS(std::system((lockstep_program() + " models >/dev/full 2>/dev/null").c_str())), 1);
}

TEST_F(BadInput, NoCommandShowsTheOverview) {
  const Outcome outcome = run("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_GT(outcome.err.size(), 3u);
}

}  // namespace
}  // namespace lockstep
