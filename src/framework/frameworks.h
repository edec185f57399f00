// frameworks.h: the table of frameworks that can train our networks, and their adapters.
//
// An adapter is one Python file, part of this program. It builds the network of a job directory
// (framework_job.h) layer by layer and trains it. lockstep_job.py, which all adapters import, reads
// the job and reports by framework_line.h. To add a framework, write its adapter and its row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

struct Framework {
  std::string_view name;            // "pytorch"
  std::string_view title;           // "PyTorch"
  std::string_view module;          // that Python imports: "torch"
  std::string_view install;         // "pip install torch"
  std::string_view modes[6];        // of execution; the adapter tries all and takes the fastest
  std::string_view condition = {};  // of installing it: "with Python 3.11 or older"
  bool has_tf32 = true;             // can be told to multiply in TF32 on a GPU, or not to
};

std::span<const Framework> frameworks();
std::vector<std::string> modes_of(const Framework& framework);

// "pytorch", "pytorch:compile", or "mine.py", a script of the user that speaks the line protocol.
struct FrameworkChoice {
  const Framework* framework;
  std::string mode;         // empty: the fastest
  std::string script = {};  // empty: the framework's own adapter
};
// Throws UsageError with the names there are.
FrameworkChoice find_framework(std::string_view text);
// Of a run with --framework, and perhaps --framework-mode.
FrameworkChoice find_framework(const RunConfig& run);

// The text of a user's script becomes part of the run and so travels to other hosts. Throws
// UsageError.
void load_script(RunConfig& run);

std::string_view adapter_text(const Framework& framework);  // the Python file
std::string_view shared_adapter_text();  // lockstep_job.py, which all adapters import

}  // namespace lockstep
