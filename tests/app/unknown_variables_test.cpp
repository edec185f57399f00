#include "app/unknown_variables.h"

#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "app/command_line.h"
#include "support/file_text.h"
#include "support/paths.h"
#include "support/reference_kind.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> notes_on(const std::vector<std::string>& variables) {
  const EngineKind engines[] = {reference_kind()};
  std::ostringstream none;
  const RunContext context = {{.out = none, .err = none, .program = "/proc/self/exe"}, engines};
  return notes_on_unknown(variables, all_syntaxes(context));
}

TEST(UnknownVariables, ASlipIsNamedWithTheLikelyName) {
  EXPECT_THAT(notes_on({"LOCKSTEP_NUM_DEVICE", "LOCKSTEP_BATCH_SIZE", "LOCKSTEP_DEFAULT"}),
              ElementsAre("LOCKSTEP_NUM_DEVICE is ignored: no option or setting has this name; did "
                          "you mean LOCKSTEP_NUM_DEVICES?",
                          "LOCKSTEP_DEFAULT is ignored: no option or setting has this name; did "
                          "you mean LOCKSTEP_DEFAULTS?"));
}

TEST(UnknownVariables, CapitalsAndDashesAreSlipsToo) {
  EXPECT_THAT(notes_on({"LOCKSTEP_batch_size", "LOCKSTEP_BATCH-SIZE"}),
              ElementsAre(HasSubstr("did you mean LOCKSTEP_BATCH_SIZE?"),
                          HasSubstr("did you mean LOCKSTEP_BATCH_SIZE?")));
}

// The common beginning does not make it similar to a short one.
TEST(UnknownVariables, ANameLikeNoOtherIsNotGuessedAt) {
  EXPECT_THAT(notes_on({"LOCKSTEP_XYZZYPLUGH"}),
              ElementsAre("LOCKSTEP_XYZZYPLUGH is ignored: no option or setting has this name; "
                          "docs/configuration.md lists all variables"));
}

TEST(UnknownVariables, WhatLockstepSetsItselfIsNotProposed) {
  EXPECT_THAT(notes_on({"LOCKSTEP_EVENTZ"}), ElementsAre(Not(HasSubstr("LOCKSTEP_EVENTS"))));
}

TEST(UnknownVariables, OnlyCloseNamesThatTheProgramReadsAreProposed) {
  EXPECT_THAT(notes_on({"LOCKSTEP_FOO", "LOCKSTEP_ROOTS"}),
              ElementsAre(HasSubstr("lists all variables"), Not(HasSubstr("LOCKSTEP_ROOT?"))));
}

TEST(UnknownVariables, EveryNameOfAnOptionIsKnown) {
  EXPECT_THAT(notes_on({"LOCKSTEP_NUM_GPUS", "LOCKSTEP_QUIET", "LOCKSTEP_REPEATS"}), IsEmpty());
}

// Whoever adds a variable describes it there.
TEST(UnknownVariables, EveryDocumentedVariableIsKnown) {
  const std::string page = file_text(project_path("docs/configuration.md"));
  const std::regex variable("LOCKSTEP_[A-Z_]+");
  std::vector<std::string> documented;
  for (std::sregex_iterator each(page.begin(), page.end(), variable), end; each != end; ++each) {
    if (each->str() != "LOCKSTEP_OPTION_NAME" && each->str() != "LOCKSTEP_NUM_DEVICE") {
      documented.push_back(each->str());
    }
  }
  ASSERT_THAT(documented, ::testing::Contains("LOCKSTEP_TORCH_DIRECTORY"));
  EXPECT_THAT(notes_on(documented), IsEmpty());
}

TEST(UnknownVariables, OfTheProcessesOfMpirunAndSrunTheFirstPrintsNotes) {
  const auto with = [](const std::string& variable, const std::string& value) {
    return [variable, value](const std::string& name) {
      return name == variable ? std::optional(value) : std::nullopt;
    };
  };
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    EXPECT_TRUE(prints_notes(with(rank, "0"))) << rank;
    EXPECT_FALSE(prints_notes(with(rank, "3"))) << rank;
  }
  EXPECT_TRUE(prints_notes(with("HOME", "/root")));
}

}  // namespace
}  // namespace lockstep
