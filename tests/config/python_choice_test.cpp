#include "config/python_choice.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace lockstep {
namespace {

std::string chosen(const std::vector<std::string>& given, const std::string& active_variable = "") {
  return chosen_python(
      given, [](const std::string& name) { return name == "mine"; },
      [&](const std::string& name) {
        return name == active_variable ? std::optional<std::string>("/active") : std::nullopt;
      });
}

TEST(PythonChoice, TheMostSpecificEntryWins) {
  EXPECT_EQ(chosen({"/all", "mine=/own", "other=/x"}, "VIRTUAL_ENV"), "/own");
  EXPECT_EQ(chosen({"/all", "other=/x"}, "VIRTUAL_ENV"), "/all");
  EXPECT_EQ(chosen({"other=/x"}, "VIRTUAL_ENV"), "/active/bin/python3");
  EXPECT_EQ(chosen({}, "CONDA_PREFIX"), "/active/bin/python3");
  EXPECT_EQ(chosen({}), "python3");
}

TEST(PythonChoice, APathIsAbsoluteAndANameStaysAName) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(chosen({"env/bin/python3"}), here + "/env/bin/python3");
  EXPECT_EQ(chosen({"python3.12"}), "python3.12");
}

}  // namespace
}  // namespace lockstep
