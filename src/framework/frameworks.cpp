#include "framework/frameworks.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "framework/adapters.h"

namespace lockstep {
namespace {

constexpr Framework kFrameworks[] = {
    {.name = "pytorch",
     .title = "PyTorch",
     .module = "torch",
     .install = "pip install torch",
     .modes = {"eager", "eager-channels-last", "compile", "compile-channels-last"}},
    {.name = "tensorflow",
     .title = "TensorFlow",
     .module = "tensorflow",
     .install = "pip install tensorflow",
     .modes = {"function", "function-xla"}},
    {.name = "jax",
     .title = "JAX",
     .module = "jax",
     .install = "pip install jax",
     .modes = {"jit", "jit-nhwc"}},
    {.name = "mxnet",
     .title = "MXNet",
     .module = "mxnet",
     .install = "pip install mxnet==1.9.1 numpy==1.23.5",
     .modes = {"imperative", "hybrid", "hybrid-static"},
     .condition = "with Python 3.11 or older",
     .has_tf32 = false},
};

// Of the user: what it needs is not known, and it has no modes.
constexpr Framework kScript = {
    .name = "script", .title = "the script", .module = "sys", .install = "pip", .modes = {}};

constexpr int64_t kLargestScript = 100'000;  // it is an argument of the workers

std::string suggestion(std::string_view wrong, const std::vector<std::string>& names) {
  const std::string near = closest(std::string(wrong), names);
  return near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                      : fmt::format("did you mean {}?", near);
}

const Framework& named(std::string_view name) {
  std::vector<std::string> names;
  for (const Framework& framework : kFrameworks) {
    if (framework.name == name) return framework;
    names.emplace_back(framework.name);
  }
  throw UsageError("unknown framework '{}'; {}", name, suggestion(name, names));
}

std::string_view text_of(std::string_view name) {
  const auto row = std::ranges::find(adapters(), name, &Adapter::name);
  if (row == adapters().end()) throw Error("the adapter {}.py is missing", name);
  return row->text;
}

}  // namespace

std::span<const Framework> frameworks() { return kFrameworks; }

std::vector<std::string> modes_of(const Framework& framework) {
  std::vector<std::string> modes;
  for (const std::string_view mode : framework.modes) {
    if (!mode.empty()) modes.emplace_back(mode);
  }
  return modes;
}

FrameworkChoice find_framework(std::string_view text) {
  if (text.ends_with(".py")) return {&kScript, "", std::string(text)};
  const size_t colon = std::min(text.find(':'), text.size());
  const Framework& framework = named(text.substr(0, colon));
  const std::string mode(text.substr(std::min(colon + 1, text.size())));
  const std::vector<std::string> modes = modes_of(framework);
  if (colon < text.size() && std::ranges::count(modes, mode) == 0) {
    throw UsageError("--framework {}: {} has no mode '{}'; {}", text, framework.title, mode,
                     suggestion(mode, modes));
  }
  return {&framework, mode, ""};
}

FrameworkChoice find_framework(const RunConfig& run) {
  const FrameworkChoice choice = find_framework(std::string_view(run.framework));
  const bool known = !choice.script.empty() || choice.mode == run.framework_mode;
  if (known || run.framework_mode.empty()) return choice;
  return find_framework(fmt::format("{}:{}", run.framework, run.framework_mode));
}

void load_script(RunConfig& run) {
  if (!run.framework_script.empty() || !run.framework.ends_with(".py")) return;
  run.framework_script = read_regular_file(run.framework, {.most_bytes = kLargestScript});
}

std::string_view adapter_text(const Framework& framework) { return text_of(framework.name); }

std::string_view shared_adapter_text() { return text_of("lockstep_job"); }

}  // namespace lockstep
