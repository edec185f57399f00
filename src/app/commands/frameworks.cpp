// frameworks.cpp: `lockstep frameworks`: which frameworks can be measured here, and how to get the
// others.
#include <fmt/format.h>

#include <ostream>

#include "app/flags.h"
#include "app/program.h"
#include "config/json.h"
#include "framework/python.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

struct Options {
  std::string show;
  std::vector<std::string> python;
  bool json = false;
};

CommandSyntax syntax_for(Options& options) {
  return {.command = "frameworks",
          .summary = "Lists the frameworks that can train our networks, and what is installed.",
          .flags = {text_flag({"show", "NAME",
                               "print the adapter of this framework, a Python file; "
                               "lockstep_job: what all adapters share",
                               &options.show}),
                    {.name = "python",
                     .value_name = "PATH",
                     .help = "Python of all frameworks, or of one as NAME=PATH; may be repeated "
                             "[the active environment's]",
                     .set = [&](const std::string& text) { options.python.push_back(text); },
                     .many = true},
                    switch_flag("json", "print JSON", &options.json)}};
}

std::string modes_text(const Framework& framework) {
  std::string text;
  for (const std::string_view mode : framework.modes) {
    if (!mode.empty()) text += (text.empty() ? "" : ", ") + std::string(mode);
  }
  return text;
}

}  // namespace

int frameworks_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (!options.show.empty()) {
    const bool shared = options.show == "lockstep_job";
    context.out << (shared ? shared_adapter_text()
                           : adapter_text(*find_framework(options.show).framework));
    return kSuccess;
  }
  using Align = TextTable::Align;
  TextTable table({{"framework", Align::Left},
                   {"version", Align::Left},
                   {"devices", Align::Left},
                   {"modes", Align::Left},
                   {"python", Align::Left},
                   {"remark", Align::Left}});
  Json list = Json::array();
  for (const Framework& framework : frameworks()) {
    const FrameworkSurvey found =
        survey(framework, python_for(framework, options.python, context.environment));
    table.add({std::string(framework.name), found.version.value_or("-"),
               found.devices.empty() ? "-" : found.devices, modes_text(framework), found.python,
               found.problem});
    list.push_back({{"name", framework.name},
                    {"version", found.version ? Json(*found.version) : Json(nullptr)},
                    {"devices", found.devices},
                    {"modes", modes_text(framework)},
                    {"python", found.python},
                    {"problem", found.problem}});
  }
  context.out << (options.json ? list.dump(1) + "\n" : table.text());
  return kSuccess;
}

}  // namespace lockstep
