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
