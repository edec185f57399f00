#include "run/complete_config.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using Notes = std::vector<std::string>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The notes; a second time there are none, and nothing changes.
Notes completed(RunConfig& run, const GivenOptions& given = {.model = true}) {
  Notes notes = complete_config(run, given);
  const RunConfig before = run;
  const GivenOptions as_worker = {.model = true};
  EXPECT_THAT(complete_config(run, as_worker), IsEmpty());
  EXPECT_EQ(run, before);
  return notes;
}

TEST(CompleteConfig, DefaultsStay) {
  RunConfig run;
  EXPECT_THAT(completed(run, {}), IsEmpty());
  EXPECT_EQ(run, RunConfig{});
}

TEST(CompleteConfig, HostsWithoutAModelTrainInception3) {
  RunConfig run = {.hosts = "a,b"};
  EXPECT_THAT(completed(run, {}),
              ElementsAre("with --hosts and no --model, inception3 is trained"));
  EXPECT_EQ(run.model, "inception3");
  RunConfig asked = {.hosts = "a,b"};
  EXPECT_THAT(completed(asked, {.model = true}), IsEmpty());
  EXPECT_EQ(asked.model, "trivial");
}

TEST(CompleteConfig, TheWarmUpIsRoundedUpToWholeGroups) {
  RunConfig run = {.batch_group_size = 4, .num_warmup_batches = 5};
  EXPECT_THAT(completed(run), ElementsAre(HasSubstr("rounded up to 8")));
  EXPECT_EQ(run.num_warmup_batches, 8);
  RunConfig none = {.batch_group_size = 4, .num_warmup_batches = 0};
  EXPECT_THAT(completed(none), IsEmpty());
  EXPECT_EQ(none.num_warmup_batches, 0);
}

TEST(CompleteConfig, SummariesGoToTheTrainDirAsInTfCnnBenchmarks) {
  RunConfig run = {.train_dir = "t", .summary_verbosity = 3, .save_summaries_steps = 10};
  EXPECT_THAT(completed(run), ElementsAre(HasSubstr("no histograms")));
  EXPECT_EQ(run.summary_dir, "t");
  RunConfig own = {
      .train_dir = "t", .summary_dir = "s", .summary_verbosity = 1, .save_summaries_steps = 10};
  EXPECT_THAT(completed(own), IsEmpty());
  EXPECT_EQ(own.summary_dir, "s");
  RunConfig nowhere = {.summary_verbosity = 1};
  EXPECT_THAT(completed(nowhere), ElementsAre(HasSubstr("ignored without --summary-dir")));
}

TEST(CompleteConfig, TheEvalDirTakesTheSummariesOfAnEvaluation) {
  RunConfig run = {.train_dir = "t", .eval = true, .eval_dir = "e"};
  EXPECT_THAT(completed(run), IsEmpty());
  EXPECT_EQ(run.summary_dir, "e");
  RunConfig training = {.eval_dir = "e"};
  EXPECT_THAT(completed(training), ElementsAre("--eval-dir: ignored without --eval"));
  EXPECT_EQ(training.summary_dir, "");
  RunConfig as_there = {.eval_dir = "/tmp/tf_cnn_benchmarks/eval"};
  EXPECT_THAT(completed(as_there), IsEmpty());
}

TEST(CompleteConfig, AProfileFileNeedsAProfile) {
  RunConfig run = {.profile_file = "p"};
  EXPECT_THAT(completed(run), IsEmpty());
  EXPECT_TRUE(run.profile);
}

TEST(CompleteConfig, UseFp16MeansADtype) {
  RunConfig run = {.device = "cuda", .use_fp16 = true, .fp16_loss_scale = 64};
  EXPECT_THAT(completed(run), IsEmpty());
  EXPECT_EQ(run, (RunConfig{.device = "cuda", .dtype = "fp16", .fp16_loss_scale = 64}));
}

TEST(CompleteConfig, OptionsOfGpusAreIgnoredWhereTheyMeanNothing) {
  RunConfig run = {.fp16_loss_scale = 64, .local_parameter_device = "cpu"};
  EXPECT_THAT(completed(run), ElementsAre(StartsWith("--fp16-loss-scale ignored: "),
                                          StartsWith("--local-parameter-device ignored: ")));
  EXPECT_EQ(run, RunConfig{});
}

TEST(CompleteConfig, OptionsOfStoredImagesAreIgnoredForSyntheticOnes) {
  RunConfig run = {
      .input_preprocessor = "official_models_imagenet", .ml_perf = true, .repeat_sample = true};
  EXPECT_THAT(completed(run),
              ElementsAre(HasSubstr("--input-preprocessor"), HasSubstr("--ml-perf"),
                          HasSubstr("--repeat-sample: ignored without --data-dir")));
  EXPECT_EQ(run, RunConfig{});
  RunConfig stored = {.data_dir = "d", .ml_perf = true};
  EXPECT_THAT(completed(stored), IsEmpty());
  EXPECT_TRUE(stored.ml_perf);
}

}  // namespace
}  // namespace lockstep
