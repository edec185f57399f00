// definition_file.cpp: the only user of toml++ for definitions. A table maps keys to members.
#include "external/definition_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#define TOML_HEADER_ONLY 1  // one file includes it, and nodes need no library
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/text.h"

namespace lockstep {
namespace {

template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};
constexpr Word<StartWay> kStartWays[] = {{"single", StartWay::Single},
                                         {"per_device", StartWay::PerDevice},
                                         {"mpirun", StartWay::Mpirun},
                                         {"roles", StartWay::Roles},
                                         {"workers", StartWay::Workers}};
constexpr Word<CombineLines> kLines[] = {
    {"last", CombineLines::Last}, {"mean", CombineLines::Mean}, {"median", CombineLines::Median}};
constexpr Word<CombineWorkers> kWorkers[] = {{"mean", CombineWorkers::Mean},
                                             {"median", CombineWorkers::Median},
                                             {"sum", CombineWorkers::Sum},
                                             {"last", CombineWorkers::Last}};
constexpr Word<StepMeaning> kMeanings[] = {{"interval", StepMeaning::Interval},
                                           {"running_mean", StepMeaning::RunningMean}};

constexpr Word<RateOf> kRates[] = {
    {"run", RateOf::Run}, {"device", RateOf::Device}, {"worker", RateOf::Worker}};
constexpr Word<PhaseUnit> kUnits[] = {{"seconds", PhaseUnit::Second},
                                      {"milliseconds", PhaseUnit::Millisecond}};

// Reads values into members and collects problems.
class Reader {
 public:
  Reader(Program& program, std::vector<std::string>& problems)
      : program_(program), problems_(problems) {}

  void note(const std::string& key, const toml::node& node) {
    program_.lines[key] = static_cast<int>(node.source().begin.line);
  }
  void refuse(const std::string& key, std::string_view wanted) {
    problems_.push_back(fmt::format("{} must be {}", at(program_, key), wanted));
  }
  void refuse_unknown(const std::string& key, const std::vector<std::string>& known) {
    const std::string near = closest(key, known);
    problems_.push_back(fmt::format("{} is not a valid key; {}", at(program_, key),
                                    near.empty()
                                        ? fmt::format("use one of {}", fmt::join(known, ", "))
                                        : fmt::format("did you mean {}?", near)));
  }

  void read(const std::string& key, const toml::node& node, std::string& target) {
    if (const auto text = node.value_exact<std::string>()) return void(target = *text);
    refuse(key, "a string in quotes");
  }
  void read(const std::string& key, const toml::node& node, int& target) {
    const auto number = node.value_exact<int64_t>();
    if (number && *number >= 0 && *number <= 1'000'000) {
      return void(target = static_cast<int>(*number));
    }
    refuse(key, "a whole number from 0 to 1000000");
  }
  void read(const std::string& key, const toml::node& node, double& target) {
    const auto number = node.value<double>();
    if (node.is_number() && number && *number > 0 && *number < 1e9) {
      return void(target = *number);
    }
    refuse(key, "a number above 0");
  }
  template <typename T>
  void read(const std::string& key, const toml::node& node, std::optional<T>& target) {
    read(key, node, target.emplace());
  }
  void read(const std::string& key, const toml::node& node, TextMap& target) {
    if (!node.is_table()) return refuse(key, "a table of strings");
    read_each(key, *node.as_table(), target);
  }
  void read(const std::string& key, const toml::node& node,
            std::map<std::string, TextMap>& target) {
    if (!node.is_table()) return refuse(key, "a table of tables");
    read_each(key, *node.as_table(), target);
  }
  void read(const std::string& key, const toml::node& node, Arguments& target) {
    const toml::array* array = node.as_array();
    const std::string wanted = "a list of strings, with optional ones as nested lists";
    if (!array) return refuse(key, wanted);
    for (const toml::node& element : *array) {
      ProgramArgument argument;
      if (const toml::array* group = element.as_array()) {
        argument.optional = true;
        for (const toml::node& word : *group) {
          if (!word.is_string()) return refuse(key, wanted);
          argument.words.push_back(*word.value<std::string>());
        }
      } else {
        if (!element.is_string()) return refuse(key, wanted);
        argument.words.push_back(*element.value<std::string>());
      }
      target.push_back(std::move(argument));
    }
  }
  // One start mode for all, or a table: variable update -> start mode.
  void read(const std::string& key, const toml::node& node,
            std::map<std::string, StartChoice>& target) {
    if (!node.is_table()) return read(key, node, target["default"]);
    read_each(key, *node.as_table(), target);
  }
  // "single", or ["single", "roles"]: on one device, on more.
  void read(const std::string& key, const toml::node& node, StartChoice& target) {
    const toml::array* two = node.as_array();
    if (two && two->size() != 2) return refuse(key, "one start mode, or two: [one device, more]");
    read_word(key, two ? *two->get(0) : node, kStartWays, target.one_device);
    if (!two) return void(target.more_devices = target.one_device);
    read_word(key, *two->get(1), kStartWays, target.more_devices);
  }
  void read(const std::string& key, const toml::node& node, CombineLines& target) {
    read_word(key, node, kLines, target);
  }
  void read(const std::string& key, const toml::node& node, CombineWorkers& target) {
    read_word(key, node, kWorkers, target);
  }
  void read(const std::string& key, const toml::node& node, RateOf& target) {
    read_word(key, node, kRates, target);
  }
  void read(const std::string& key, const toml::node& node, PhaseUnit& target) {
    read_word(key, node, kUnits, target);
  }
  void read(const std::string& key, const toml::node& node, StepMeaning& target) {
    read_word(key, node, kMeanings, target);
  }

 private:
  template <typename T>
  void read_each(const std::string& key, const toml::table& table,
                 std::map<std::string, T>& target) {
    for (const auto& [name, value] : table) {
      const std::string inner = key + "." + std::string(name.str());
      note(inner, value);
      read(inner, value, target[std::string(name.str())]);
    }
  }
  template <typename Enum, size_t n>
  void read_word(const std::string& key, const toml::node& node, const Word<Enum> (&words)[n],
                 Enum& target) {
    const std::string text = node.value_exact<std::string>().value_or("");
    std::vector<std::string_view> all;
    for (const Word<Enum>& word : words) {
      if (word.text == text) return void(target = word.value);
      all.push_back(word.text);
    }
    refuse(key, fmt::format("one of {}", fmt::join(all, ", ")));
  }

  Program& program_;
  std::vector<std::string>& problems_;
};

struct Key {
  std::string name;
  std::function<void(Reader&, const toml::node&)> read;
};

// A new key is a row here, a member of Program, and a row of the table in docs/programs.md.
std::vector<Key> keys_into(Program& program) {
  std::vector<Key> keys;
  const auto key = [&](std::string name, auto& member) {
    keys.push_back({name, [name, &member](Reader& reader, const toml::node& node) {
                      reader.read(name, node, member);
                    }});
  };
  key("description", program.description);
  key("command", program.command);
  key("start", program.start);
  key("mpirun", program.mpirun);
  key("servers", program.servers);
  key("directory", program.directory);
  key("env", program.env);
  key("names", program.names);
  key("fixed", program.fixed);
  key("fixed_on", program.fixed_on);
  key("timeout_seconds", program.timeout_seconds);
  key("silence_seconds", program.silence_seconds);
  key("output.step", program.output.step);
  key("output.step_is", program.output.step_is);
  key("output.step_of", program.output.step_of);
  key("output.total", program.output.total);
  key("output.total_of", program.output.total_of);
  key("output.loss", program.output.loss);
  key("output.phases", program.output.phases);
  key("output.phase_unit", program.output.phase_unit);
  key("output.lines", program.output.lines);
  key("output.workers", program.output.workers);
  key("output.skip_steps", program.output.skip_steps);
  key("output.enough_steps", program.output.enough_steps);
  key("success.exit_code", program.exit_code);
  key("success.line", program.required_line);
  key("failure.line", program.forbidden_line);
  return keys;
}

bool is_section(const std::vector<Key>& keys, const std::string& name) {
  for (const Key& key : keys) {
    if (key.name.starts_with(name + ".")) return true;
  }
  return false;
}

void read_table(const toml::table& table, const std::string& prefix, const std::vector<Key>& keys,
                Reader& reader) {
  for (const auto& [name, node] : table) {
    const std::string full = prefix + std::string(name.str());
    reader.note(full, node);
    const auto known = std::ranges::find(keys, full, &Key::name);
    if (known != keys.end()) {
      known->read(reader, node);
    } else if (is_section(keys, full) && node.is_table()) {
      read_table(*node.as_table(), full + ".", keys, reader);
    } else {
      std::vector<std::string> names;
      for (const Key& key : keys) names.push_back(key.name);
      reader.refuse_unknown(full, names);
    }
  }
}

}  // namespace

ReadProgram read_program(std::string_view text, const std::string& source) {
  ReadProgram result;
  result.program.source = source;
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    result.problems.push_back(
        fmt::format("{}:{}: {}", source, error.source().begin.line, error.description()));
    return result;
  }
  Reader reader(result.program, result.problems);
  const std::vector<Key> keys = keys_into(result.program);
  read_table(parsed.table(), "", keys, reader);
  return result;
}

}  // namespace lockstep
