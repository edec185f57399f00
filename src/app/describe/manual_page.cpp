#include "app/describe/manual_page.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "app/describe/completion.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "base/version.h"

namespace lockstep {
namespace {

// As roff reads it: a dash is a minus that can be copied, and a line must not begin with a request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string title(const std::string& name) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH \"{}\" 1 \"\" \"lockstep {}\" \"User Commands\"\n", roff(upper),
                     program_version());
}

std::string dashed(std::string command) {
  std::ranges::replace(command, ' ', '-');
  return "lockstep-" + command;
}

std::string entry(const Flag& flag) {
  std::string text = ".TP\n";
  if (flag.letter) text += fmt::format("\\fB\\-{}\\fR, ", flag.letter);
  text += fmt::format("\\fB\\-\\-{}\\fR", roff(flag.name));
  if (!flag.value_name.empty()) text += fmt::format(" \\fI{}\\fR", roff(flag.value_name));
  std::string help = flag.help;
  if (!flag.default_text.empty()) help += fmt::format(" [{}]", flag.default_text);
  if (!flag.aliases.empty()) help += fmt::format(" (also --{})", fmt::join(flag.aliases, ", --"));
  return text + "\n" + roff(help) + "\n";
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCodeRow& row : kExitCodes) {
    text += fmt::format(".TP\n.B {}\n{}\n", row.code, roff(std::string(row.meaning)));
  }
  return text;
}

constexpr const char* kFiles =
    ".SH FILES\n"
    ".TP\n.I ~/.config/lockstep/config.toml\n"
    "Defaults of options for this user; in the directory that XDG_CONFIG_HOME names, if it is "
    "set.\n"
    ".TP\n.I lockstep.toml\n"
    "In the working directory: defaults that count more than those of the user.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B LOCKSTEP_OPTION_NAME\n"
    "The value of an option, unless the command line gives one: LOCKSTEP_BATCH_SIZE=64.\n";

}  // namespace

std::string manual_file(const CommandSyntax& command) { return dashed(command.command) + ".1"; }

std::string manual_page(const CommandSyntax& command) {
  const std::string name = dashed(command.command);
  std::string text = title(name);
  std::string summary = command.summary;
  if (summary.ends_with('.')) summary.pop_back();
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(summary));
  text += fmt::format(".SH SYNOPSIS\n.B lockstep {}\n", roff(command.command));
  if (command.positional) {
    text += fmt::format("[\\fI{}\\fR]{}\n", roff(command.positional->name),
                        command.positional->many ? "..." : "");
  }
  text += "[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n" + roff(command.summary) + "\n";
  if (command.positional) {
    text += fmt::format(".TP\n.I {}\n{}\n", roff(command.positional->name),
                        roff(command.positional->help));
  }
  text += ".SH OPTIONS\n";
  std::string group;
  for (const Flag& flag : shown_flags(command)) {
    if (flag.group != group && flag.group != "Options") {
      text += fmt::format(".SS {}\n", roff(flag.group));
    }
    group = flag.group;
    text += entry(flag);
  }
  return text + exit_status() + kFiles + ".SH SEE ALSO\n.BR lockstep (1)\n";
}

std::string manual_overview(const std::vector<CommandSyntax>& commands) {
  std::string text = title("lockstep");
  text +=
      ".SH NAME\nlockstep \\- measure how fast machines train convolutional networks\n"
      ".SH SYNOPSIS\n.B lockstep\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH COMMANDS\n";
  for (const CommandSyntax& command : commands) {
    text +=
        fmt::format(".TP\n.BR {} (1)\n{}\n", roff(dashed(command.command)), roff(command.summary));
  }
  return text + exit_status() + kFiles;
}

}  // namespace lockstep
