#include "framework/python.h"

#include <fmt/format.h>

#include "config/python_choice.h"
#include "process/ask.h"

namespace lockstep {
namespace {

constexpr Seconds kForImport{180};

// Prints the version and the devices of a module.
constexpr const char* kSurveyScript = R"py(
import importlib, importlib.metadata, sys
name, accelerators = sys.argv[1], ""
module = importlib.import_module(name)
if name == "torch" and module.cuda.is_available():
    count = module.cuda.device_count()
    accelerators = ", %d x cuda (%s)" % (count, module.cuda.get_device_name(0))
print(module.__version__)
print("cpu" + accelerators)
)py";

}  // namespace

std::string python_for(const Framework& framework, std::span<const std::string> given,
                       const Environment& environment) {
  const auto is_meant = [&](const std::string& name) {
    return find_framework(name).framework == &framework;
  };
  return chosen_python(given, is_meant, environment);
}

FrameworkSurvey survey(const Framework& framework, const std::string& python) {
  FrameworkSurvey survey = {.python = python, .version = {}, .devices = {}, .problem = {}};
  const CommandAnswer answer =
      ask({python, "-c", kSurveyScript, std::string(framework.module)}, kForImport);
  if (!answer.found) {
    survey.problem = fmt::format("there is no {}", python);
  } else if (!answer.well || answer.lines.size() < 2) {
    const bool missing = answer.complaint.starts_with("ModuleNotFoundError");
    survey.problem =
        missing ? fmt::format("not installed; '{} -m {}' installs it", python, framework.install)
                : answer.complaint;
  } else {
    survey.version = answer.lines[answer.lines.size() - 2];
    survey.devices = answer.lines.back();
  }
  return survey;
}

}  // namespace lockstep
