// Networks from files, as a user measures them: the real program.
#include <gmock/gmock.h>

#include <fstream>

#include "app/sweep_fixture.h"
#include "report/results/results_store.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kNetwork = R"(
# A network of a user.
name = "mine"
image_size = 8
classes = 5
batch_size = 3
layers = [
  { conv = 4, kernel = 3 },
  { add = [[], [{ conv = 4, activation = "none" }]], activation = "relu" },
  { classify = true },
]
)";

class NetworkRuns : public Sweep {
 protected:
  NetworkRuns() { std::ofstream(file_) << kNetwork; }

  Ran train(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {lockstep_program(), "train",
                                      "--model=" + file_, "--num-warmup-batches=1",
                                      "--num-batches=2",  "--threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  const std::string file_ = (directory_ / "net.toml").string();
  const std::string result_ = (directory_ / "r.json").string();
};

TEST_F(NetworkRuns, OneWorkerTrainsAFileAndItsResultNeedsNoFile) {
  const Ran ran = train({"--result=" + result_});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Model:       mine\n"));
  const RunResult result = read_result(result_);
  EXPECT_EQ(result.facts.model, "mine");
  EXPECT_EQ(result.facts.batch_size, 3);
  EXPECT_EQ(result.facts.num_classes, 5);
  EXPECT_EQ(result.facts.parameters, (3 * 3 * 3 + 1) * 4 + (4 + 1) * 4 + (4 * 8 * 8 + 1) * 5);
  EXPECT_EQ(result.config.network_file, file_);
  EXPECT_THAT(result.config.network, HasSubstr("{ conv = 4, kernel = 3 },\n"));
}

TEST_F(NetworkRuns, TwoWorkersTrainTheSameNetwork) {
  const Ran ran = train({"--num-devices=2", "--result=" + result_});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(result_).facts.model, "mine");
  EXPECT_EQ(read_result(result_).ranks.size(), 2U);
}

TEST_F(NetworkRuns, AnErrorNamesFileLineAndLayer) {
  std::ofstream(file_) << "image_size = 8\nlayers = [\n{ max_pool = 9 },\n{ classify = true } ]\n";
  const Ran ran = train({});
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: " + file_ + ":3: layer 1 (max_pool): "));
  EXPECT_THAT(run({lockstep_program(), "train", "--model=none.toml"}).err, HasSubstr("none.toml"));
}

TEST_F(NetworkRuns, ASweepMeasuresFilesBesideNamesAndAChangedFileAgain) {
  const std::vector<std::string> words = {
      lockstep_program(),       "sweep",           "--models=" + file_ + ":2,trivial:2",
      "--num-warmup-batches=1", "--num-batches=2", "--repeats=1",
      "--num-devices=1",        "--threads=1",     "--output=" + results()};
  const Ran ran = run(words);
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("mine:2"));
  EXPECT_EQ(read_store(results()).runs.size(), 2U);
  std::ofstream(file_, std::ios::app) << "# a comment is no other network\n";
  ASSERT_EQ(run(words).exit_code(), 0);
  EXPECT_EQ(read_store(results()).runs.size(), 2U);
  std::ofstream(file_, std::ios::app) << "learning_rate = 0.1\n";
  ASSERT_EQ(run(words).exit_code(), 0);
  EXPECT_EQ(read_store(results()).runs.size(), 3U);
}

TEST_F(NetworkRuns, OtherCommandsTakeAFileToo) {
  const Ran models = run({lockstep_program(), "models", file_});
  EXPECT_EQ(models.exit_code(), 0) << models.err;
  EXPECT_THAT(models.out, HasSubstr("mine (imagenet, 8x8): 1,417 parameters in 6 tensors"));
  const Ran simulated = run({lockstep_program(), "simulate", "--cluster=horovod-512", "--model",
                             file_, "--images-per-second=100"});
  EXPECT_EQ(simulated.exit_code(), 0) << simulated.err;
  EXPECT_THAT(simulated.out, HasSubstr("mine"));
  const Ran reduced = run({lockstep_program(), "allreduce", "--model", file_, "--num-devices=2",
                           "--iters=1", "--warmup-iters=0"});
  EXPECT_EQ(reduced.exit_code(), 0) << reduced.err;
}

}  // namespace
}  // namespace lockstep
