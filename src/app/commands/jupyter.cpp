#include "app/commands/jupyter.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

constexpr std::string_view kLabPage = "lab/tree/results.ipynb";
constexpr std::string_view kClassicPage = "notebooks/results.ipynb";

// The first that is installed is used.
const std::vector<Jupyter>& known() {
  static const std::vector<Jupyter> kKnown = {
      {{"jupyter", "lab"}, kLabPage},
      {{"python3", "-m", "jupyterlab"}, kLabPage},
      {{"jupyter", "notebook"}, kClassicPage},
      {{"python3", "-m", "notebook"}, kClassicPage},
  };
  return kKnown;
}

}  // namespace

std::optional<Jupyter> find_jupyter(const Answers& answers) {
  for (const Jupyter& jupyter : known()) {
    std::vector<std::string> question = jupyter.words;
    question.emplace_back("--version");
    if (answers(question)) return jupyter;
  }
  return {};
}

Command jupyter_command(const Jupyter& jupyter, const JupyterRequest& request) {
  Command command = {
      .name = "jupyter",
      .argv = jupyter.words,
      // Other users can read the arguments of a process, but not its environment.
      .env = {{"JUPYTER_TOKEN", request.token}, {kResultsVariable, request.directory}},
      .directory = request.directory};
  auto& words = command.argv;
  words.emplace_back("--ip=127.0.0.1");
  words.push_back(fmt::format("--port={}", request.port));
  words.emplace_back("--port-retries=0");  // another port would not be the one that we print
  words.emplace_back("--no-browser");
  if (request.as_root) words.emplace_back("--allow-root");
  return command;
}

std::string jupyter_url(const Jupyter& jupyter, const JupyterRequest& request) {
  return fmt::format("http://127.0.0.1:{}/{}?token={}", request.port, jupyter.page, request.token);
}

}  // namespace lockstep
