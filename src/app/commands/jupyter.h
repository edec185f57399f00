// jupyter.h: finds Jupyter and makes the command that serves a directory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/command.h"

namespace lockstep {

// Tells the notebook the directory to read.
inline constexpr const char* kResultsVariable = "LOCKSTEP_RESULTS";

std::string_view results_notebook();  // examples/results.ipynb, embedded

struct Jupyter {
  std::vector<std::string> words;  // "jupyter", "lab"
  std::string_view page;           // path of the notebook in its URLs
};

// Whether a program starts and exits well.
using Answers = std::function<bool(const std::vector<std::string>&)>;
// JupyterLab or the classic notebook, on PATH or in python3; absent: neither is installed.
std::optional<Jupyter> find_jupyter(const Answers& answers);

struct JupyterRequest {
  std::string directory;  // absolute
  int port = 0;
  std::string token;
  bool as_root = false;
};
Command jupyter_command(const Jupyter& jupyter, const JupyterRequest& request);
std::string jupyter_url(const Jupyter& jupyter, const JupyterRequest& request);

}  // namespace lockstep
