// python.h: which Python runs a framework, and what it has installed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/json_fwd.h"
#include "framework/frameworks.h"

namespace lockstep {

// By --python ("PATH" for all, or "pytorch=PATH"), else that of the active virtual environment,
// else python3 of PATH.
std::string python_for(const Framework& framework, std::span<const std::string> given,
                       const Environment& environment);

// What to do about a module that Python did not find; empty when the complaint is another one.
std::string missing_module_hint(const Framework& framework, const std::string& python,
                                const std::string& complaint);

// Whether an error of a run, also one on another host, has that hint about the framework itself.
bool says_not_installed(const Framework& framework, const std::string& error);

struct FrameworkSurvey {
  std::string python;
  std::optional<std::string> version;  // absent: not installed there
  std::string devices;                 // "cpu", "cpu, 2 x cuda (NVIDIA A100)"
  std::string problem;                 // why it cannot be used; empty: it can
};
// Starts that Python. Takes as long as importing the framework.
FrameworkSurvey survey(const Framework& framework, const std::string& python);
Json survey_json(const Framework& framework, const FrameworkSurvey& found);

}  // namespace lockstep
