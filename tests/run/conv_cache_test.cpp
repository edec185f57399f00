#include "run/conv_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/reference_kind.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const ConvChoices kSome = {{"forward 3x3", "winograd"}, {"backward-data 3x3", "direct"}};

class ConvCaches : public ::testing::Test {
 protected:
  ConvCache cache(const std::string& processor = "some CPU") {
    return {(directory_ / "deep" / "folder").string(), {processor, "library 1", 2}, notes_};
  }
  void overwrite(const std::string& text) { std::ofstream(cache().path()) << text; }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
  std::ostringstream notes_;
};

TEST_F(ConvCaches, WhatWasAddedIsReadAgain) {
  EXPECT_EQ(cache().read(), ConvChoices{});
  cache().add(kSome);
  cache().add({{"forward 5x5", "direct"}});
  ConvChoices all = kSome;
  all["forward 5x5"] = "direct";
  EXPECT_EQ(cache().read(), all);
  EXPECT_EQ(notes_.str(), "");
}

// Else two runs of the same could differ in their last bits though both were remembered.
TEST_F(ConvCaches, TheFirstOfTwoMeasurementsCountsForBothProcesses) {
  cache().add({{"forward 3x3", "direct"}});
  ConvChoices all = kSome;
  all["forward 3x3"] = "direct";
  EXPECT_EQ(cache().add(kSome), all);
  EXPECT_EQ(cache().read(), all);
}

TEST_F(ConvCaches, ProcessorsAndLibrariesAreKeptApart) {
  cache().add(kSome);
  EXPECT_EQ(cache("another CPU").read(), ConvChoices{});
  EXPECT_EQ(notes_.str(), "");
}

TEST_F(ConvCaches, ADamagedFileIsIgnoredWithANoteAndReplaced) {
  cache().add(kSome);
  std::ofstream(cache().path(), std::ios::app) << "half a li";
  EXPECT_EQ(cache().read(), ConvChoices{});
  EXPECT_THAT(notes_.str(), HasSubstr("damaged"));
  cache().add(kSome);
  EXPECT_EQ(cache().read(), kSome);
}

TEST_F(ConvCaches, AForeignFileIsIgnoredWithANote) {
  cache().add(kSome);
  for (const char* text : {"", "{\"json\": 1}", "lockstep convolutions 1\nprocessor other\n"}) {
    notes_.str("");
    overwrite(text);
    EXPECT_EQ(cache().read(), ConvChoices{});
    EXPECT_THAT(notes_.str(), HasSubstr("from another machine or version")) << text;
  }
}

TEST_F(ConvCaches, WithoutADirectoryNothingIsKept) {
  const ConvCache none("", {"some CPU", "library 1", 2}, notes_);
  none.add(kSome);
  EXPECT_EQ(none.read(), ConvChoices{});
  EXPECT_EQ(notes_.str(), "");
}

TEST_F(ConvCaches, ADirectoryThatCannotBeCreatedDoesNotEndARun) {
  std::ofstream(directory_ / "deep") << "a file where the folder should be";
  cache().add(kSome);
  EXPECT_THAT(notes_.str(), HasSubstr("not saved"));
}

TEST_F(ConvCaches, AnUnreachableDirectoryDoesNotEndARun) {
  fs::create_symlink(directory_ / "deep", directory_ / "deep");  // leads to itself
  EXPECT_EQ(cache().read(), ConvChoices{});
  cache().add(kSome);
  EXPECT_THAT(notes_.str(), HasSubstr("not saved"));
}

// An engine that counts what it is asked.
RunPlan plan_with(EngineKind& kind, const std::string& conv_algo) {
  kind = reference_kind();
  kind.choose_convolutions = [](const Graph&, const EngineOptions&, const ConvChoices& known) {
    ConvChoices chosen = kSome;
    for (auto& [work, method] : chosen) {
      if (known.contains(work)) method = known.at(work);
    }
    return chosen;
  };
  RunConfig config = {.model = "lenet", .engine = "native"};
  config.conv_algo = conv_algo;
  return plan_run(config, std::span(&kind, 1), 1);
}

TEST_F(ConvCaches, ChoicesAreMeasuredInTheFirstRunAndRememberedInTheSecond) {
  EngineKind kind;
  const RunPlan plan = plan_with(kind, "auto");
  EXPECT_EQ(choose_convolutions(plan, cache(), notes_), kSome);
  EXPECT_THAT(notes_.str(),
              HasSubstr("measured the fastest algorithm of 2 convolutions, saved in "));
  notes_.str("");
  EXPECT_EQ(choose_convolutions(plan, cache(), notes_), kSome);
  EXPECT_EQ(notes_.str(), "");
}

// A checkpoint may be of another machine.
TEST_F(ConvCaches, GivenChoicesAreUsedButNotSavedAsMeasured) {
  EngineKind kind;
  const RunPlan plan = plan_with(kind, "auto");
  const ConvChoices chosen =
      choose_convolutions(plan, cache(), notes_, {{"forward 3x3", "direct"}});
  EXPECT_EQ(chosen.at("forward 3x3"), "direct");
  EXPECT_EQ(cache().read(), (ConvChoices{{"backward-data 3x3", "direct"}}));
}

TEST_F(ConvCaches, ARequestedAlgorithmIsNotMeasured) {
  EngineKind kind;
  for (const char* algorithm : {"direct", "winograd"}) {
    EXPECT_EQ(choose_convolutions(plan_with(kind, algorithm), cache(), notes_), ConvChoices{});
  }
  EXPECT_FALSE(fs::exists(cache().path()));
}

}  // namespace
}  // namespace lockstep
