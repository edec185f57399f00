// help.cpp: help pages, printed from the same tables that parse command lines.
#include <fmt/ranges.h>

#include <algorithm>

#include "app/options.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr size_t kHelpColumn = 30, kWidth = 100;

// Words in lines up to the right margin; all but the first line start in the help column.
std::string wrapped(const std::string& text) {
  std::string lines;
  size_t used = 0;
  for (const std::string& word : split(text, ' ')) {
    if (used > 0 && kHelpColumn + used + 1 + word.size() > kWidth) {
      lines += "\n" + std::string(kHelpColumn, ' ');
      used = 0;
    }
    if (used > 0) lines += ' ';
    lines += word;
    used += word.size() + 1;
  }
  return lines;
}

// "-b, --batch-size N", and the help beside it, or below it when there is no room.
std::string line_of(const Flag& flag) {
  std::string left = flag.letter ? fmt::format("  -{}, ", flag.letter) : "      ";
  left += "--" + flag.name;
  if (!flag.value_name.empty()) left += " " + flag.value_name;
  std::string right = flag.help;
  if (!flag.default_text.empty()) right += fmt::format(" [{}]", flag.default_text);
  if (!flag.aliases.empty()) right += fmt::format(" (also --{})", fmt::join(flag.aliases, ", --"));
  if (left.size() + 2 > kHelpColumn) left += "\n" + std::string(kHelpColumn - 2, ' ');
  const size_t last_line = left.size() - (left.rfind('\n') + 1);
  return left + std::string(kHelpColumn - last_line, ' ') + wrapped(right) + "\n";
}

std::string words_of(const Positional& positional) {
  if (positional.required) return positional.name;
  return fmt::format("[{}]{}", positional.name, positional.many ? "..." : "");
}

}  // namespace

std::string help_text(const CommandSyntax& syntax) {
  std::string text =
      fmt::format("{}\n\nUsage: lockstep {}{} [OPTION]...\n", syntax.summary, syntax.command,
                  syntax.positional ? " " + words_of(*syntax.positional) : "");
  if (syntax.positional) {
    text += fmt::format("\n  {:<{}}{}\n", syntax.positional->name, kHelpColumn - 2,
                        wrapped(syntax.positional->help));
  }
  std::string group;
  for (const Flag& flag : syntax.flags) {
    if (flag.hidden) continue;
    if (flag.group != group) text += fmt::format("\n{}:\n", group = flag.group);
    text += line_of(flag);
  }
  const bool has_hosts = std::ranges::count(syntax.flags, 'h', &Flag::letter) > 0;
  return text + fmt::format(
                    "\n--no-x turns the switch --x off. Names may be written with underscores, and "
                    "with one dash.\n"
                    "--flagfile FILE reads flags from a file, one per line.\n"
                    "--show-config prints every option, its value and where it comes from.\n"
                    "--help, or -h{}, prints this help.\n",
                    has_hosts ? " without a word after it" : "");
}

}  // namespace lockstep
