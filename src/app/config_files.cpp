#include "app/config_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "app/command_line.h"
#include "app/command_words.h"
#include "app/unknown_variables.h"
#include "base/error.h"
#include "base/provenance.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "config/toml_reader.h"
#include "launch/rank_variables.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostBytes = 1 << 20;

std::string with_dashes(std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

// Whether a command has both as names of one option. No command: whether any has.
bool name_one_option(const OptionDefault& a, const OptionDefault& b,
                     const std::vector<CommandSyntax>& commands) {
  if (a.command != b.command) return false;
  if (a.name == b.name) return true;
  return std::ranges::any_of(commands, [&](const CommandSyntax& command) {
    const bool meant = a.command.empty() || a.command == command.command;
    return meant && std::ranges::any_of(command.flags, [&](const Flag& flag) {
             return has_name(flag, a.name) && has_name(flag, b.name);
           });
  });
}

// batch-size and batch_size are one option, and so are num-devices and num-gpus.
void refuse_second(const OptionDefault& option, const std::vector<OptionDefault>& others,
                   const std::vector<CommandSyntax>& commands) {
  for (const OptionDefault& other : others) {
    if (!name_one_option(option, other, commands)) continue;
    throw UsageError("{}: {} is also set in {}{}; set it once", option.source, option.name,
                     other.source, other.name == option.name ? "" : " as " + other.name);
  }
}

class Reader {
 public:
  Reader(const std::string& source, const std::vector<CommandSyntax>& commands)
      : source_(source), commands_(commands) {}

  std::vector<OptionDefault> read(const toml::table& file) {
    read_options(file, "");
    for (const auto& [name, node] : file) {
      if (node.is_table()) read_command(*node.as_table(), std::string(name.str()));
    }
    if (!problems_.empty()) throw UsageError("{}", fmt::join(problems_, "\n"));
    return std::move(defaults_);
  }

 private:
  std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", source_, line_of(node));
  }

  // [train], or [data.pack].
  void read_command(const toml::table& table, const std::string& name) {
    const bool known = std::ranges::count(commands_, name, &CommandSyntax::command) > 0;
    const bool family = std::ranges::any_of(
        commands_, [&](const CommandSyntax& each) { return each.command.starts_with(name + " "); });
    if (!known && !family) {
      std::vector<std::string> names;
      for (const CommandSyntax& each : commands_) names.push_back(each.command);
      const std::string near = closest(name, names);
      problems_.push_back(
          fmt::format("{}: [{}]: there is no such command; {}", place(table), name,
                      near.empty() ? "'lockstep help' lists them" : "did you mean " + near + "?"));
      return;
    }
    read_options(table, name);
    for (const auto& [inner, node] : table) {
      if (node.is_table()) read_command(*node.as_table(), name + " " + std::string(inner.str()));
    }
  }

  void read_options(const toml::table& table, const std::string& command) {
    for (const auto& [key, node] : table) {
      if (node.is_table()) continue;
      try {
        OptionDefault option = {.command = command,
                                .name = with_dashes(key.str()),
                                .values = {},
                                .source = place(node)};
        check(option);
        refuse_second(option, defaults_, commands_);
        read_values(node, option);
        defaults_.push_back(std::move(option));
      } catch (const UsageError& error) {  // one line among the others
        problems_.emplace_back(error.what());
      }
    }
  }

  static void read_values(const toml::node& node, OptionDefault& option) {
    const std::string where = option.source + ": " + option.name;
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& value : *list) option.values.push_back(value_text(value, where));
    } else {
      option.values.push_back(value_text(node, where));
    }
  }

  // At the top, one command must have the option.
  void check(const OptionDefault& option) const {
    CommandSyntax meant;
    for (const CommandSyntax& each : commands_) {
      if (!option.command.empty() && each.command != option.command) continue;
      meant.flags.insert(meant.flags.end(), each.flags.begin(), each.flags.end());
    }
    check_option_name(meant, option.name,
                      option.source + (option.command.empty() ? "" : ": [" + option.command + "]"));
  }

  const std::string& source_;
  const std::vector<CommandSyntax>& commands_;
  std::vector<OptionDefault> defaults_;
  std::vector<std::string> problems_;
};

// As the XDG Base Directory Specification says: a relative path does not count.
std::vector<std::string> files_of(const Environment& environment) {
  const auto absolute = [&](const char* variable) -> fs::path {
    const fs::path path = environment(variable).value_or("");
    return path.is_absolute() ? path : "";
  };
  fs::path base = absolute("XDG_CONFIG_HOME");
  if (base.empty() && !absolute("HOME").empty()) base = absolute("HOME") / ".config";
  std::vector<std::string> files;
  if (!base.empty()) files.push_back((base / "lockstep" / "config.toml").string());
  files.emplace_back("lockstep.toml");
  return files;
}

// Options of a file can start commands, and lockstep.toml may lie in a directory of many users.
std::string text_of_file(const std::string& file) {
  try {
    return read_regular_file(file, {.most_bytes = kMostBytes, .own = true});
  } catch (const UsageError& error) {  // adds the remedy
    throw UsageError("{}; LOCKSTEP_DEFAULTS=off ignores configuration files", error.what());
  }
}

// LOCKSTEP_BATCH_SIZE=64
std::vector<OptionDefault> defaults_in_environment(const Environment& environment,
                                                   const std::vector<CommandSyntax>& commands) {
  std::set<std::string> names;
  for (const CommandSyntax& command : commands) {
    for (const Flag& flag : command.flags) {
      names.insert(flag.name);
      names.insert(flag.aliases.begin(), flag.aliases.end());
    }
  }
  std::vector<OptionDefault> defaults;
  for (const std::string& name : names) {
    const std::string variable = variable_of(name);
    if (variable == kTokenVariable) continue;  // the secret of a run, not serve's --token
    if (const auto value = environment(variable)) {
      OptionDefault option = {.command = "", .name = name, .values = {*value}, .source = variable};
      refuse_second(option, defaults, commands);
      defaults.push_back(std::move(option));
    }
  }
  return defaults;
}

}  // namespace

std::vector<OptionDefault> defaults_in(const std::string& text, const std::string& source,
                                       const std::vector<CommandSyntax>& commands) {
  return Reader(source, commands).read(toml_in(text, source));
}

UserDefaults defaults_of_user(const RunContext& context, const std::string& wanted) {
  if (wanted == kNoDefaults) return {};
  if (!wanted.empty()) {
    throw UsageError("{} must be {} or unset, not '{}'", kDefaultsVariable, kNoDefaults, wanted);
  }
  const std::vector<CommandSyntax> commands = all_syntaxes(context);
  UserDefaults defaults;
  for (const std::string& file : files_of(context.environment)) {
    std::error_code none;
    if (!fs::exists(file, none)) continue;
    std::ranges::move(defaults_in(text_of_file(file), file, commands),
                      std::back_inserter(defaults.options));
  }
  std::ranges::move(defaults_in_environment(context.environment, commands),
                    std::back_inserter(defaults.options));
  if (prints_notes(context.environment)) {
    defaults.notes = notes_on_unknown(context.own_variables, commands);
  }
  return defaults;
}

}  // namespace lockstep
