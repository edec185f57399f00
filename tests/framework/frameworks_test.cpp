#include "framework/frameworks.h"

#include <gmock/gmock.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "framework/python.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    find_framework(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Frameworks, EachHasAnAdapterThatKnowsItsModes) {
  for (const Framework& framework : frameworks()) {
    const std::string text(adapter_text(framework));
    for (const std::string_view mode : framework.modes) {
      EXPECT_THAT(text, HasSubstr("\"" + std::string(mode))) << framework.name;
    }
  }
}

TEST(Frameworks, AreFoundByNameAndMode) {
  EXPECT_EQ(find_framework("pytorch").mode, "");
  EXPECT_EQ(find_framework("pytorch:compile").mode, "compile");
  EXPECT_THAT(refusal("pytorsh"), HasSubstr("did you mean pytorch?"));
  EXPECT_THAT(refusal("pytorch:compiel"), HasSubstr("did you mean compile?"));
}

TEST(Frameworks, TheModeOfARunIsPartOfTheNameOrGivenApart) {
  RunConfig run;
  EXPECT_FALSE(has_framework(run));
  run.framework = "pytorch:eager";
  EXPECT_TRUE(has_framework(run));
  EXPECT_EQ(find_framework(run).mode, "eager");
  run.framework = "pytorch";
  EXPECT_EQ(find_framework(run).mode, "");
  run.framework_mode = "compile";
  EXPECT_EQ(find_framework(run).mode, "compile");
  run.framework = "pytorch:compile";  // of a later launch of a sweep
  EXPECT_EQ(find_framework(run).mode, "compile");
  run.framework_mode = "fast";
  EXPECT_THROW(find_framework(run), UsageError);
}

TEST(Frameworks, AScriptOfTheUserIsOneToo) {
  const FrameworkChoice choice = find_framework("here/mine.py");
  EXPECT_EQ(choice.script, "here/mine.py");
  EXPECT_TRUE(modes_of(*choice.framework).empty());
}

// So it travels to hosts that lack the file.
TEST(Frameworks, TheTextOfAScriptBecomesPartOfTheRun) {
  const TemporaryDirectory directory;
  RunConfig run;
  run.framework = directory.path("mine.py");
  EXPECT_THROW(load_script(run), UsageError);
  write_whole_file(run.framework, "print(1)\n");
  load_script(run);
  EXPECT_EQ(run.framework_script, "print(1)\n");
  run.framework = "elsewhere/mine.py";
  load_script(run);  // of a worker, which was handed it
  EXPECT_EQ(run.framework_script, "print(1)\n");
}

TEST(Frameworks, AScriptNeedsNothingButPython) {
  const FrameworkSurvey found = survey(*find_framework("mine.py").framework, "python3");
  if (found.problem == "there is no python3") GTEST_SKIP() << found.problem;
  EXPECT_EQ(found.problem, "");
}

TEST(Frameworks, PythonIsTheGivenOneOrThatOfTheActiveEnvironment) {
  const Framework& pytorch = *find_framework("pytorch").framework;
  const Environment none = [](const std::string&) { return std::nullopt; };
  const Environment active = [](const std::string& name) {
    return name == "VIRTUAL_ENV" ? std::optional<std::string>("/venv") : std::nullopt;
  };
  EXPECT_EQ(python_for(pytorch, {}, none), "python3");
  EXPECT_EQ(python_for(pytorch, {}, active), "/venv/bin/python3");
  const std::vector<std::string> given = {"/all", "pytorch=/own"};
  EXPECT_EQ(python_for(pytorch, given, active), "/own");
  EXPECT_EQ(python_for(pytorch, std::span(given).first(1), active), "/all");
}

TEST(Frameworks, AMissingModuleIsTheFrameworkOrIsNamedItself) {
  const auto hint = [](const char* framework, const std::string& module) {
    return missing_module_hint(*find_framework(framework).framework, "/venv/python",
                               "ModuleNotFoundError: No module named '" + module + "'");
  };
  EXPECT_EQ(hint("pytorch", "torch"), "'/venv/python -m pip install torch' installs it");
  EXPECT_THAT(hint("mxnet", "mxnet"), HasSubstr(" installs it with Python 3.11 or older"));
  EXPECT_EQ(hint("pytorch", "mine.data"), "module mine is missing in /venv/python");
  EXPECT_EQ(hint("mine.py", "torch"), "module torch is missing in /venv/python");
  EXPECT_EQ(missing_module_hint(*find_framework("jax").framework, "python3", "MemoryError"), "");
}

TEST(Frameworks, APythonThatIsNotThereIsNamed) {
  const FrameworkSurvey found = survey(*find_framework("pytorch").framework, "/no/python");
  EXPECT_FALSE(found.version);
  EXPECT_THAT(found.problem, HasSubstr("/no/python"));
}

}  // namespace
}  // namespace lockstep
