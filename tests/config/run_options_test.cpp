#include "config/run_options.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "config/json.h"
#include "config/run_json.h"

namespace lockstep {
namespace {

const RunOption& option(const std::string& name) {
  for (const RunOption& row : run_options()) {
    if (row.name == name) return row;
  }
  throw Error("no option {}", name);
}

std::string refusal(const std::string& name, const std::string& text) {
  RunConfig run;
  try {
    set_from_text(run, option(name), text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

// A value that differs from the default and is allowed.
std::string another_value(const RunOption& row) {
  if (is_switch(row)) return text_of({}, row) == "true" ? "false" : "true";
  if (row.details.choices.size() > 1) {
    return row.details.choices[row.details.choices[0] == text_of({}, row) ? 1 : 0];
  }
  if (row.details.choices.size() == 1) return row.details.choices[0];
  const std::string unit = value_name(row);
  if (unit == "N") return row.details.range.most < 7 ? "1" : "7";
  if (row.details.is_part) return "0.25";
  const bool large = row.details.range.least > 0.25;
  return unit == "X" ? (large ? "8.25" : "0.25") : "word";
}

TEST(RunOptions, NoNameLetterOrAliasIsUsedTwice) {
  std::set<std::string> names;
  std::set<char> letters;
  for (const RunOption& row : run_options()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const std::string& alias : row.details.aliases) EXPECT_TRUE(names.insert(alias).second);
    EXPECT_TRUE(!row.details.letter || letters.insert(row.details.letter).second) << row.name;
    EXPECT_EQ(row.name.find('_'), std::string::npos) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
}

TEST(RunOptions, EveryOptionSurvivesARoundTripThroughText) {
  for (const RunOption& row : run_options()) {
    RunConfig run;
    set_from_text(run, row, another_value(row));
    EXPECT_EQ(text_of(run, row), another_value(row)) << row.name;
    RunConfig again;
    set_from_text(again, row, text_of(run, row));
    EXPECT_EQ(again, run) << row.name;
  }
}

TEST(RunOptions, EveryOptionSurvivesARoundTripThroughJson) {
  RunConfig run;
  for (const RunOption& row : run_options()) set_from_text(run, row, another_value(row));
  const Json json = run_to_json(run);
  EXPECT_EQ(json.size(), run_options().size());
  EXPECT_EQ(run_from_json(json), run);
  EXPECT_EQ(run_from_json(Json::parse(json.dump())), run);
  EXPECT_EQ(run_from_json(run_to_json({})), RunConfig{});
}

TEST(RunOptions, JsonKeysHaveUnderscoresAndAliasesAreRead) {
  EXPECT_TRUE(run_to_json({}).contains("batch_size"));
  EXPECT_TRUE(run_to_json({}).at("num_batches").is_null());
  EXPECT_EQ(run_from_json(Json::parse(R"({"num_gpus": 3, "batch-size": 8})")).num_devices, 3);
  EXPECT_THROW(run_from_json(Json::parse(R"({"batchsize": 3})")), UsageError);
  EXPECT_THROW(run_from_json(Json::parse("[]")), UsageError);
}

TEST(RunOptions, RefusalsSayWhatWouldWork) {
  EXPECT_EQ(refusal("batch-size", "many"),
            "--batch-size must be a whole number of at least 0, not 'many'");
  EXPECT_EQ(refusal("batch-size", "-1"),
            "--batch-size must be a whole number of at least 0, not '-1'");
  EXPECT_EQ(refusal("batch-size", "99999999999"),
            "--batch-size must be a whole number of at least 0, not '99999999999'");
  EXPECT_EQ(refusal("display-perf-ewma", "1.5"),
            "--display-perf-ewma must be a number from 0 to 1, not '1.5'");
  EXPECT_EQ(refusal("gradient-op", "max"), "--gradient-op must be one of mean, sum, not 'max'");
  EXPECT_EQ(refusal("device", "tpu"),
            "--device must be one of cpu, gpu, cuda, cuda:N, xpu, xpu:N, mps, privateuseone, "
            "privateuseone:N, not 'tpu'; --engine native supports cpu only, --engine torch all of "
            "them");
  EXPECT_EQ(refusal("conv-algo", ""), "--conv-algo must be one of auto, direct, winograd, not ''");
  EXPECT_EQ(refusal("profile", "maybe"), "--profile must be true or false, not 'maybe'");
}

TEST(RunOptions, AFractionMayBeAPercentage) {
  RunConfig run;
  set_from_text(run, option("precision"), "2%");
  EXPECT_DOUBLE_EQ(*run.precision, 0.02);
  set_from_text(run, option("precision"), "0.5");
  EXPECT_DOUBLE_EQ(*run.precision, 0.5);
  for (const char* wrong : {"%", "0", "200%", "-1%", "1%%"}) {
    EXPECT_EQ(refusal("precision", wrong),
              fmt::format("--precision must be a fraction such as 2% or 0.02, not '{}'", wrong));
  }
}

TEST(RunOptions, ChoicesAreReadInAnyCase) {
  RunConfig run;
  set_from_text(run, option("data-format"), "nhwc");
  EXPECT_EQ(run.data_format, "NHWC");
  set_from_text(run, option("device"), "CPU");
  EXPECT_EQ(run.device, "cpu");
}

TEST(RunOptions, ValuesHaveOtherNames) {
  RunConfig run;
  set_from_text(run, option("device"), "AUTO");
  EXPECT_EQ(run.device, "cpu");
  for (const auto& [word, location] :
       {std::pair{"gpu", "device"}, {"cpu", "host"}, {"python", "pipeline"}}) {
    set_from_text(run, *find_option("fake_location"), word);
    EXPECT_EQ(run.synthetic_location, location);
  }
}

TEST(RunOptions, AValueThatIsNearlyAChoiceGetsThatChoice) {
  EXPECT_EQ(refusal("input-preprocessor", "official"),
            "--input-preprocessor must be one of default, official_models_imagenet, not "
            "'official'; did you mean official_models_imagenet?");
  EXPECT_THAT(refusal("resize-method", "bilinaer"), ::testing::HasSubstr("did you mean bilinear?"));
  EXPECT_THAT(refusal("resize-method", "zzzzzzzz"),
              ::testing::Not(::testing::HasSubstr("did you")));
}

TEST(RunOptions, AListOfChoicesBelongsIntoASweep) {
  EXPECT_EQ(refusal("synthetic-location", "gpu/cpu/python"),
            "--synthetic-location takes one value, not 'gpu/cpu/python'; 'lockstep sweep' measures "
            "lists of values");
  EXPECT_THAT(refusal("data-format", "NCHW,NHWC"), ::testing::HasSubstr("'lockstep sweep'"));
  EXPECT_THAT(refusal("data-format", "NCHW/x"),
              ::testing::Not(::testing::HasSubstr("'lockstep sweep'")));
}

TEST(RunOptions, ANumberedChoiceTakesNumbersOnly) {
  RunConfig run;
  set_from_text(run, option("device"), "CUDA:03");
  EXPECT_EQ(run.device, "cuda:3");
  for (const char* wrong : {"cuda:", "cuda:x", "cuda:-1", "cuda3", "cpu:0", "cuda:1 "}) {
    EXPECT_THAT(refusal("device", wrong), ::testing::HasSubstr("cuda:N")) << wrong;
  }
}

TEST(RunOptions, HelpNamesTheDefaultNumberOfSteps) {
  EXPECT_NE(find_option("num-batches")->help.find(std::to_string(kDefaultTimedSteps)),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
