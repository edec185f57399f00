#include "app/commands/jupyter.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Jupyter, TheFirstThatAnswersIsUsed) {
  const auto only = [](const std::string& module) {
    return [module](const std::vector<std::string>& words) {
      return words.back() == "--version" && words[words.size() - 2] == module;
    };
  };
  EXPECT_THAT(find_jupyter([](auto&) { return true; })->words, ElementsAre("jupyter", "lab"));
  EXPECT_THAT(find_jupyter(only("jupyterlab"))->words, ElementsAre("python3", "-m", "jupyterlab"));
  EXPECT_THAT(find_jupyter(only("notebook"))->words, ElementsAre("jupyter", "notebook"));
  EXPECT_FALSE(find_jupyter([](auto&) { return false; }));
}

TEST(Jupyter, ListensOnLoopbackAndGetsItsTokenByTheEnvironment) {
  const Jupyter jupyter = {{"jupyter", "lab"}, "lab/tree/results.ipynb"};
  const JupyterRequest request = {.directory = "/data/sweep", .port = 8901, .token = "secret"};
  const Command command = jupyter_command(jupyter, request);
  EXPECT_THAT(command.argv, Contains("--ip=127.0.0.1"));
  EXPECT_THAT(command.argv, Contains("--port=8901"));
  EXPECT_THAT(command.argv, Not(Contains(HasSubstr("secret"))));
  EXPECT_THAT(command.argv, Not(Contains("--allow-root")));
  EXPECT_EQ(command.env.at("JUPYTER_TOKEN"), "secret");
  EXPECT_EQ(command.env.at("LOCKSTEP_RESULTS"), "/data/sweep");
  EXPECT_EQ(command.directory, "/data/sweep");
  EXPECT_EQ(jupyter_url(jupyter, request),
            "http://127.0.0.1:8901/lab/tree/results.ipynb?token=secret");
}

TEST(Jupyter, TheEmbeddedNotebookReadsTheResultsBesideIt) {
  EXPECT_THAT(std::string(results_notebook()), HasSubstr("results.jsonl"));
  EXPECT_THAT(std::string(results_notebook()), HasSubstr("LOCKSTEP_RESULTS"));
}

}  // namespace
}  // namespace lockstep
