// frameworks.cpp: `lockstep frameworks`: which frameworks can be measured on this machine or on
// hosts, and how to get the others.
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "app/command_line.h"
#include "app/flags.h"
#include "app/program.h"
#include "app/python_names.h"
#include "app/taken_flags.h"
#include "config/json.h"
#include "doctor/survey_routes.h"
#include "framework/python.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

struct Options {
  std::string show;
  SurveyRequest survey = {.run = {}, .thorough = false};
  bool json = false;
};

CommandSyntax syntax_for(Options& options) {
  CommandSyntax syntax = {
      .command = "frameworks",
      .summary = "Lists the frameworks that can train our networks, and what is installed.",
      .flags = {text_flag({"show", "NAME",
                           "print the adapter of this framework, a Python file; lockstep_job: what "
                           "all adapters share",
                           &options.show}),
                switch_flag("json", "print JSON", &options.json)}};
  constexpr TakenFlag kTaken[] = {{"hosts", "file or list of hosts, as for train [this machine]"},
                                  {"python"},
                                  {"remote-dir"},
                                  {"ssh-option"}};
  std::ranges::move(taken_flags(options.survey.run, kTaken), std::back_inserter(syntax.flags));
  return syntax;
}

std::string text_in(const Json& found, const char* key) {
  const auto value = found.find(key);
  const bool known = value != found.end() && value->is_string() && !value->empty();
  return known && !value->get<std::string>().empty() ? value->get<std::string>() : "-";
}

// A row for each framework on each host.
std::string table_of(const Json& hosts) {
  using Align = TextTable::Align;
  const bool several = hosts.size() > 1;
  std::vector<TextTable::Column> columns;
  if (several) columns.push_back({"host", Align::Left});
  for (const char* title : {"framework", "version", "devices", "python", "modes"})
    columns.push_back({title, Align::Left});
  TextTable table(std::move(columns));
  std::string problems;
  for (const Json& host : hosts) {
    const std::string name = host.at("host");
    for (const Json& found : host.at("frameworks")) {
      std::vector<std::string> row;
      if (several) row.push_back(name);
      for (const char* key : {"name", "version", "devices", "python"})
        row.push_back(text_in(found, key));
      row.push_back(fmt::format("{}", fmt::join(found.at("modes"), ", ")));
      table.add(std::move(row));
      const std::string problem = text_in(found, "problem");
      if (problem != "-") {
        problems +=
            fmt::format("{}{}: {}\n", several ? name + ": " : "", text_in(found, "name"), problem);
      }
    }
    if (host.contains("unreachable"))
      problems += fmt::format("{}: {}\n", name, host.at("unreachable").get<std::string>());
  }
  return table.text() + problems;
}

// A host may say anything.
bool can_be_read(const Json& frameworks) {
  return frameworks.is_array() && std::ranges::all_of(frameworks, [](const Json& found) {
           return found.is_object() && found.contains("modes") && found.at("modes").is_array();
         });
}

Json ask_hosts(const Context& context, SurveyRequest request) {
  for (const Framework& framework : frameworks())
    request.frameworks.names.emplace_back(framework.name);
  request.frameworks.python = request.run.python;
  const SurveyRoute& route = request.run.hosts.empty() ? kLocalRoute : kSshRoute;
  Json hosts = Json::array();
  for (const HostReport& host : route.survey(context, request).hosts) {
    const bool answered = can_be_read(host.frameworks);
    Json& json = hosts.emplace_back(
        Json{{"host", host.name}, {"frameworks", answered ? host.frameworks : Json::array()}});
    if (!host.unreachable.empty()) {
      json["unreachable"] = host.unreachable;
    } else if (!answered) {
      json["unreachable"] = kUnreadable;
    }
  }
  return hosts;
}

}  // namespace

int frameworks_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (!options.show.empty()) {
    const bool shared = options.show == "lockstep_job";
    context.out << (shared ? shared_adapter_text()
                           : adapter_text(*find_framework(options.show).framework));
    return kSuccess;
  }
  check_python_names(options.survey.run.python);
  const Json hosts = ask_hosts(context, options.survey);
  context.out << (options.json ? hosts.dump(1) + "\n" : table_of(hosts));
  const bool unreachable =
      std::ranges::any_of(hosts, [](const Json& host) { return host.contains("unreachable"); });
  return unreachable ? kFailure : kSuccess;
}

}  // namespace lockstep
