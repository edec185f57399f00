#include "config/python_choice.h"

#include <filesystem>

namespace lockstep {
namespace {

// A link stays a link: that of a virtual environment tells Python which packages to use.
std::string in_every_directory(const std::string& python) {
  const bool is_path = python.find('/') != std::string::npos;
  return is_path ? std::filesystem::absolute(python).string() : python;
}

}  // namespace

std::string chosen_python(std::span<const std::string> given,
                          const std::function<bool(const std::string& name)>& is_meant,
                          const Environment& environment) {
  std::string for_all, for_this;
  for (const std::string& entry : given) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      for_all = entry;
    } else if (is_meant(entry.substr(0, equals))) {
      for_this = entry.substr(equals + 1);
    }
  }
  if (!for_this.empty()) return in_every_directory(for_this);
  if (!for_all.empty()) return in_every_directory(for_all);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = environment(variable);
    if (prefix && !prefix->empty()) return *prefix + "/bin/python3";
  }
  return "python3";
}

}  // namespace lockstep
