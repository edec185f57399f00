// completion.cpp: `lockstep completion`, the completion script of a shell, and `lockstep manual`,
// all manual pages. Both are made from the tables of commands and options; the build writes their
// files.
#include "app/describe/completion.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/command_line.h"
#include "app/describe/manual_page.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

const CompletionShell& shell_named(const std::string& name) {
  const auto shells = completion_shells();
  const auto shell = std::ranges::find(shells, name, &CompletionShell::name);
  if (shell != shells.end()) return *shell;
  std::vector<std::string_view> names;
  for (const CompletionShell& each : shells) names.push_back(each.name);
  throw UsageError("completion needs the name of a shell: one of {}{}", fmt::join(names, ", "),
                   name.empty() ? "" : fmt::format(", not '{}'", name));
}

void write_into(const std::string& directory, const std::string& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw UsageError("cannot create --output {}: {}", directory, error.message());
  write_whole_file((fs::path(directory) / file).string(), text);
}

CommandSyntax output_syntax(const std::string& command, const std::string& summary,
                            std::string& output, const std::string& help) {
  return {.command = command,
          .summary = summary,
          .flags = {text_flag({"output", "DIR", help, &output})}};
}

}  // namespace

int completion_command(RunContext& context, std::span<const std::string> arguments) {
  std::string output, name;
  CommandSyntax syntax =
      output_syntax("completion", "Prints the completion script of a shell.", output,
                    "write the scripts of all shells to this directory instead");
  syntax.positional = Positional{.name = "bash|zsh|fish",
                                 .help = "shell",
                                 .set = [&name](const std::string& word) { name = word; }};
  if (answered(context, syntax, arguments)) return kSuccess;
  const std::vector<CommandSyntax> commands = all_syntaxes(context);
  if (output.empty()) {
    context.out << shell_named(name).script(commands);
    return kSuccess;
  }
  for (const CompletionShell& shell : completion_shells()) {
    write_into(output, std::string(shell.file), shell.script(commands));
  }
  return kSuccess;
}

int manual_command(RunContext& context, std::span<const std::string> arguments) {
  std::string output = "man";
  const CommandSyntax syntax =
      output_syntax("manual", "Writes the manual pages, lockstep.1 and one for each command.",
                    output, "directory of the pages");
  if (answered(context, syntax, arguments)) return kSuccess;
  const std::vector<CommandSyntax> commands = all_syntaxes(context);
  write_into(output, "lockstep.1", manual_overview(commands));
  for (const CommandSyntax& command : commands) {
    write_into(output, manual_file(command), manual_page(command));
  }
  return kSuccess;
}

}  // namespace lockstep
