#include "framework/python.h"

#include <fmt/format.h>

#include "config/json.h"
#include "config/python_choice.h"
#include "process/ask.h"

namespace lockstep {
namespace {

constexpr Seconds kForImport{180};

// Prints the version and the devices of a module.
constexpr const char* kSurveyScript = R"py(
import importlib, os, sys
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
module = importlib.import_module(sys.argv[1])
gpus = []
if module.__name__ == "torch" and module.cuda.is_available():
    gpus = [module.cuda.get_device_name(i) for i in range(module.cuda.device_count())]
if module.__name__ == "tensorflow":
    gpus = [module.config.experimental.get_device_details(gpu).get("device_name", "GPU")
            for gpu in module.config.list_physical_devices("GPU")]
if module.__name__ == "jax":
    gpus = [device.device_kind for device in module.devices() if device.platform != "cpu"]
if module.__name__ == "mxnet":
    gpus = ["GPU"] * module.context.num_gpus()
print(getattr(module, "__version__", sys.version.split()[0]))
print("cpu" + (", %d x cuda (%s)" % (len(gpus), gpus[0]) if gpus else ""))
)py";

// What follows the Python.
std::string installation(const Framework& framework) {
  return fmt::format(" -m {}' installs it", framework.install);
}

}  // namespace

std::string python_for(const Framework& framework, std::span<const std::string> given,
                       const Environment& environment) {
  const auto is_meant = [&](const std::string& name) { return name == framework.name; };
  return chosen_python(given, is_meant, environment);
}

std::string missing_module_hint(const Framework& framework, const std::string& python,
                                const std::string& complaint) {
  constexpr std::string_view kMissing = "ModuleNotFoundError: No module named '";
  const size_t at = complaint.find(kMissing);
  if (at == std::string::npos) return "";
  const std::string name = complaint.substr(at + kMissing.size());
  const std::string module = name.substr(0, name.find_first_of(".'"));
  if (module != framework.module) return fmt::format("module {} is missing in {}", module, python);
  return fmt::format("'{}{}{}{}", python, installation(framework),
                     framework.condition.empty() ? "" : " ", framework.condition);
}

bool says_not_installed(const Framework& framework, const std::string& error) {
  return error.find(installation(framework)) != std::string::npos;
}

FrameworkSurvey survey(const Framework& framework, const std::string& python) {
  FrameworkSurvey survey = {.python = python, .version = {}, .devices = {}, .problem = {}};
  const CommandAnswer answer =
      ask({python, "-c", kSurveyScript, std::string(framework.module)}, kForImport);
  if (!answer.found) {
    survey.problem = fmt::format("there is no {}", python);
  } else if (!answer.well || answer.lines.size() < 2) {
    const std::string hint = missing_module_hint(framework, python, answer.complaint);
    survey.problem = hint.empty() ? answer.complaint : fmt::format("not installed; {}", hint);
  } else {
    survey.version = answer.lines[answer.lines.size() - 2];
    survey.devices = answer.lines.back();
  }
  return survey;
}

Json survey_json(const Framework& framework, const FrameworkSurvey& found) {
  return {
      {"name", framework.name},   {"version", found.version ? Json(*found.version) : Json(nullptr)},
      {"devices", found.devices}, {"modes", modes_of(framework)},
      {"python", found.python},   {"problem", found.problem}};
}

}  // namespace lockstep
