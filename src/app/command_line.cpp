#include "app/command_line.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ostream>

#include "app/command_words.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/error.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "config/json.h"
#include "config/json_text.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

constexpr const char* kDefault = "default";

// Every option that the help shows or that is set.
std::vector<OptionSource> all_sources(const CommandSyntax& syntax,
                                      const std::vector<OptionSource>& sources) {
  std::vector<OptionSource> all;
  for (const Flag& flag : syntax.flags) {
    const auto source = std::ranges::find(sources, flag.name, &OptionSource::name);
    if (source != sources.end()) {
      all.push_back(*source);
    } else if (!flag.hidden) {
      const std::string value =
          is_switch(flag) ? (flag.starts_on ? "true" : "false") : flag.default_text;
      all.push_back({flag.name, value, kDefault});
    }
  }
  return all;
}

std::string config_table(const std::vector<OptionSource>& options) {
  using Align = TextTable::Align;
  TextTable table({{"option", Align::Left}, {"value", Align::Left}, {"from", Align::Left}});
  for (const auto& [name, value, source] : options) {
    const bool unset = value.empty() && source == kDefault;
    table.add({name, unset ? "-" : source == kDefault ? value : shell_quoted(value), source});
  }
  return table.text();
}

// null: not set. What reads as a number or a truth value is one.
Json json_value(const OptionSource& option) {
  const std::string& text = option.value;
  if (text.empty() && option.source == kDefault) return nullptr;
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = whole_number(text)) return *whole;
  if (const auto number = finite_number(text)) return *number;
  return text;
}

std::string config_json(const std::vector<OptionSource>& options) {
  Json json = Json::array();
  for (const OptionSource& each : options) {
    json.push_back({{"option", each.name}, {"value", json_value(each)}, {"from", each.source}});
  }
  return json_text(json, 1) + "\n";
}

bool is_on(std::string_view name, const std::vector<OptionSource>& sources) {
  const auto found = std::ranges::find(sources, name, &OptionSource::name);
  return found != sources.end() && found->value == "true";
}

// What files and variables set, for the result.
std::string settings_of(const std::vector<OptionSource>& sources) {
  std::vector<std::string> settings;
  for (const OptionSource& each : sources) {
    if (each.source == kCommandLine) continue;
    settings.push_back(fmt::format("{}={} ({})", each.name, shell_quoted(each.value), each.source));
  }
  return fmt::format("{}", fmt::join(settings, "; "));
}

struct FileSetting {
  std::string_view text, source;  // "batch-size=64", "lockstep.toml:3"

  std::string_view name() const { return text.substr(0, text.find('=')); }
};

// What settings_of() wrote.
std::vector<FileSetting> settings_in(std::string_view text) {
  std::vector<FileSetting> settings;
  while (!text.empty()) {
    const size_t end = std::min(text.find("); "), text.size() - 1);
    const size_t bracket = text.substr(0, end).rfind(" (");
    if (bracket == std::string_view::npos) break;
    settings.push_back({text.substr(0, bracket), text.substr(bracket + 2, end - bracket - 2)});
    text.remove_prefix(std::min(end + 3, text.size()));
  }
  return settings;
}

bool names_option(const std::string& line, std::string_view name) {
  const std::string word = fmt::format("--{}", name);
  for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    const char next = end < line.size() ? line[end] : ' ';
    if (next != '-' && std::isalnum(static_cast<unsigned char>(next)) == 0) return true;
  }
  return false;
}

}  // namespace

Flag quiet_flag(bool* quiet) {
  Flag flag = switch_flag("quiet", "print notes and progress only if the command fails", quiet);
  flag.letter = 'q';
  return flag;
}

Flag show_config_flag(bool* show) {
  return switch_flag("show-config", "print every option, its value and where it comes from", show);
}

std::string with_settings(const std::string& message, std::string_view settings) {
  std::vector<std::string> lines = split(message, '\n');
  for (std::string& line : lines) {
    std::vector<std::string> named;
    for (const FileSetting& each : settings_in(settings)) {
      if (!names_option(line, each.name())) continue;
      named.push_back(fmt::format("{}: {}", each.source, each.text));
    }
    if (!named.empty()) line += fmt::format(" (set by {})", fmt::join(named, "; "));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

bool answered(RunContext& context, const CommandSyntax& own,
              std::span<const std::string> arguments) {
  bool show = false, quiet = false;
  CommandSyntax syntax = own;
  syntax.flags.push_back(quiet_flag(&quiet));
  if (context.hear_syntax) {
    context.hear_syntax(syntax);
    return true;
  }
  CommandSyntax with_show = syntax;
  with_show.flags.push_back(show_config_flag(&show));
  std::vector<OptionSource> sources;
  if (parse(with_show, arguments, context.defaults, &sources) == Parsed::Help) {
    context.out << help_text(syntax);
    return true;
  }
  if (!context.defaults_problem.empty()) throw UsageError(context.defaults_problem);
  if (quiet) {
    context.quiet = true;
    context.err_is_terminal = false;  // nobody watches: no line that is drawn again and again
    if (context.hold_err) context.hold_err();
  }
  for (const std::string& note : context.defaults_notes) context.err << "note: " << note << "\n";
  if (show) {
    const std::vector<OptionSource> all = all_sources(syntax, sources);
    context.out << (is_on("json", sources) ? config_json(all) : config_table(all));
    return true;
  }
  const std::string settings = settings_of(sources);
  if (!settings.empty()) context.provenance.settings = settings;
  return false;
}

std::vector<CommandSyntax> all_syntaxes(const RunContext& context) {
  std::vector<CommandSyntax> all;
  RunContext listening = with_out(context, context.out);
  listening.hear_syntax = [&all](const CommandSyntax& syntax) { all.push_back(syntax); };
  for (const Subcommand& command : commands()) {
    if (command.kind != Subcommand::Kind::Internal) command.run(listening, {});
  }
  return all;
}

}  // namespace lockstep
