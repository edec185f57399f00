#include "config/problems.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Problems, TheDefaultsHaveNone) { EXPECT_THAT(problems_in({}), IsEmpty()); }

TEST(Problems, TheRunLengthIsGivenOnce) {
  EXPECT_THAT(problems_in({.num_batches = 5, .num_epochs = 1.0}),
              ElementsAre(HasSubstr("give one of them")));
}

TEST(Problems, PrecisionIsRefusedWithCheckpointsAndEvaluation) {
  EXPECT_THAT(problems_in({.precision = 0.01}), IsEmpty());
  EXPECT_EQ(problems_in({.precision = 0.01, .train_dir = "x"}).size(), 1u);
  EXPECT_EQ(problems_in({.precision = 0.01, .train_dir = "x", .eval = true}).size(), 2u);
}

TEST(Problems, ARemoteDirectoryIsAPathAndNoOption) {
  for (const char* directory : {"", "-rf", "--"}) {
    EXPECT_THAT(problems_in({.remote_dir = directory}), ElementsAre(HasSubstr("--remote-dir")));
  }
  EXPECT_THAT(problems_in({.remote_dir = "~/-rf"}), IsEmpty());
}

TEST(Problems, ZeroEpochsAreRefused) {
  EXPECT_THAT(problems_in({.num_epochs = 0.0}), ElementsAre("--num-epochs must be above 0"));
}

TEST(Problems, ATraceNeedsTwoWarmUpSteps) {
  EXPECT_THAT(problems_in({.num_warmup_batches = 1, .trace_file = "t.json"}),
              ElementsAre(HasSubstr("--num-warmup-batches of at least 2")));
  EXPECT_THAT(problems_in({.num_warmup_batches = 2, .trace_file = "t.json"}), IsEmpty());
}

TEST(Problems, TwoOutputsCannotShareAFile) {
  EXPECT_THAT(problems_in({.trace_file = "x.json", .result = "x.json"}),
              ElementsAre(HasSubstr("two of them name the same file")));
  EXPECT_THAT(problems_in({.profile_file = "x", .graph_file = "x"}),
              ElementsAre(HasSubstr("two of them name the same file")));
}

TEST(Problems, AFrozenGraphExcludesTrainingAndRoles) {
  EXPECT_THAT(problems_in({.forward_only = true, .freeze_when_forward_only = true}), IsEmpty());
  EXPECT_THAT(problems_in({.freeze_when_forward_only = true, .train_dir = "t"}),
              ElementsAre(HasSubstr("--freeze-when-forward-only excludes")));
}

TEST(Problems, ThePreprocessorOfOfficialModelsHasNoVariants) {
  EXPECT_THAT(problems_in({.distortions = true,
                           .resize_method = "area",
                           .input_preprocessor = "official_models_imagenet"}),
              ElementsAre(HasSubstr("--distortions"), HasSubstr("--resize-method")));
}

TEST(Problems, AnEvaluationHasOneLength) {
  EXPECT_THAT(
      problems_in({.train_dir = "t", .eval = true, .num_eval_batches = 1, .num_eval_epochs = 1.0}),
      ElementsAre(HasSubstr("both set the length of an evaluation")));
  EXPECT_THAT(problems_in({.train_dir = "t", .eval = true, .num_eval_epochs = 0.0}),
              ElementsAre("--num-eval-epochs must be above 0"));
  EXPECT_THAT(problems_in({.num_eval_epochs = 1.0}), ElementsAre(HasSubstr("require --eval")));
}

TEST(Problems, GpuIndicesNeedGpus) {
  EXPECT_THAT(problems_in({.gpu_indices = "0"}),
              ElementsAre(HasSubstr("--gpu-indices requires --device cuda")));
  EXPECT_THAT(problems_in({.device = "cuda", .gpu_indices = "0"}), IsEmpty());
}

TEST(Problems, InferenceHasNoGradientsAndNoLoss) {
  EXPECT_THAT(problems_in({.aux_head = true, .forward_only = true, .gradient_clip = 1.0}),
              SizeIs(2));
}

TEST(Problems, CheckpointAndEvaluationOptionsRequireTheirDirectoryOrMode) {
  EXPECT_THAT(problems_in({.save_model_steps = 3}), ElementsAre(HasSubstr("--train-dir")));
  EXPECT_THAT(problems_in({.train_dir = "t", .save_model_steps = 3, .save_model_secs = 4}),
              ElementsAre(HasSubstr("give one of them")));
  EXPECT_THAT(problems_in({.eval = true}), ElementsAre(HasSubstr("--train-dir")));
  EXPECT_THAT(problems_in({.forward_only = true, .eval_during_training_every_n_steps = 5}),
              ElementsAre(HasSubstr("requires training")));
  EXPECT_THAT(problems_in({.stop_at_top_1_accuracy = 0.5}),
              ElementsAre(HasSubstr("--eval-during-training")));
  EXPECT_THAT(problems_in({.num_eval_batches = 5}),
              ElementsAre(HasSubstr("evaluation during training")));
  EXPECT_THAT(problems_in({.save_summaries_steps = 5}), ElementsAre(HasSubstr("--summary-dir")));
  EXPECT_THAT(problems_in({.train_dir = "t",
                           .save_model_steps = 3,
                           .eval_during_training_every_n_epochs = 0.5,
                           .stop_at_top_1_accuracy = 0.9}),
              IsEmpty());
}

TEST(Problems, TimesOfEvaluationAreGivenOnceAsNumbers) {
  EXPECT_THAT(problems_in({.eval_during_training_every_n_steps = 5,
                           .eval_during_training_at_specified_epochs = "1"}),
              ElementsAre(HasSubstr("give one of them")));
  EXPECT_THAT(problems_in({.eval_during_training_at_specified_steps = "10,2.5"}),
              ElementsAre("--eval-during-training-at-specified-steps must be whole numbers above "
                          "0, separated by commas, not '10,2.5'"));
  EXPECT_THAT(problems_in({.eval_during_training_at_specified_epochs = "0"}), SizeIs(1));
  EXPECT_THAT(problems_in({.eval_during_training_at_specified_epochs = "0.5,2"}), IsEmpty());
  EXPECT_THAT(problems_in({.eval_interval_secs = 60}), ElementsAre(HasSubstr("requires --eval")));
}

TEST(Problems, ATaskIndexRequiresAJobName) {
  EXPECT_THAT(problems_in({.task_index = 1}), ElementsAre(HasSubstr("--job-name")));
  EXPECT_THAT(problems_in({.job_name = "worker", .worker_hosts = "a:1,b:1"}), IsEmpty());
}

TEST(Problems, RepackingExcludesBuckets) {
  EXPECT_THAT(problems_in({.bucket_mb = 4.0, .gradient_repacking = 2}), SizeIs(1));
  EXPECT_THAT(problems_in({.gradient_repacking = 2}), IsEmpty());
}

TEST(Problems, AreReportedAllAtOnce) {
  EXPECT_THAT(problems_in({.num_batches = 5,
                           .num_epochs = 1.0,
                           .num_warmup_batches = 0,
                           .task_index = 1,
                           .trace_file = "t.json",
                           .benchmark_test_id = "x"}),
              SizeIs(4));
}

}  // namespace
}  // namespace lockstep
