// definition_file.cpp: a table maps the keys of a definition to members.
#include "external/definition_file.h"

#include "base/error.h"
#include "config/toml_reader.h"

namespace lockstep {
namespace {

constexpr TomlWord<StartWay> kStartWays[] = {{"single", StartWay::Single},
                                             {"per_device", StartWay::PerDevice},
                                             {"mpirun", StartWay::Mpirun},
                                             {"roles", StartWay::Roles},
                                             {"workers", StartWay::Workers}};
constexpr TomlWord<CombineLines> kLines[] = {
    {"last", CombineLines::Last}, {"mean", CombineLines::Mean}, {"median", CombineLines::Median}};
constexpr TomlWord<CombineWorkers> kWorkers[] = {{"mean", CombineWorkers::Mean},
                                                 {"median", CombineWorkers::Median},
                                                 {"sum", CombineWorkers::Sum},
                                                 {"last", CombineWorkers::Last}};
constexpr TomlWord<StepMeaning> kMeanings[] = {{"interval", StepMeaning::Interval},
                                               {"running_mean", StepMeaning::RunningMean}};

constexpr TomlWord<RateOf> kRates[] = {
    {"run", RateOf::Run}, {"device", RateOf::Device}, {"worker", RateOf::Worker}};
constexpr TomlWord<PhaseUnit> kUnits[] = {{"seconds", PhaseUnit::Second},
                                          {"milliseconds", PhaseUnit::Millisecond}};

// Reads values into members, notes the line of each, and collects problems.
class Reader : public TomlReader {
 public:
  Reader(Program& program, std::vector<std::string>& problems)
      : TomlReader(program.source, problems), program_(program) {}

  using TomlReader::read;

  // All keys below a key that the table knows count too: names.model.resnet50.
  void note(const std::string& key, const toml::node& node) { program_.lines[key] = line_of(node); }

  void read(const std::string& key, const toml::node& node, int& target) {
    read(key, node, target, {.most = 1'000'000});
  }
  void read(const std::string& key, const toml::node& node, double& target) {
    read(key, node, target, {.most = 1e9, .above = true});
  }
  template <typename T>
  void read(const std::string& key, const toml::node& node, std::optional<T>& target) {
    read(key, node, target.emplace());
  }
  void read(const std::string& key, const toml::node& node, TextMap& target) {
    if (!node.is_table()) return refuse(key, node, "a table of strings");
    read_each(key, *node.as_table(), target);
  }
  void read(const std::string& key, const toml::node& node,
            std::map<std::string, TextMap>& target) {
    if (!node.is_table()) return refuse(key, node, "a table of tables");
    read_each(key, *node.as_table(), target);
  }
  void read(const std::string& key, const toml::node& node, Arguments& target) {
    const toml::array* array = node.as_array();
    const std::string wanted = "a list of strings, with optional ones as nested lists";
    if (!array) return refuse(key, node, wanted);
    for (const toml::node& element : *array) {
      ProgramArgument argument;
      if (const toml::array* group = element.as_array()) {
        argument.optional = true;
        for (const toml::node& word : *group) {
          if (!word.is_string()) return refuse(key, node, wanted);
          argument.words.push_back(*word.value<std::string>());
        }
      } else {
        if (!element.is_string()) return refuse(key, node, wanted);
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
    if (two && two->size() != 2)
      return refuse(key, node, "one start mode, or two: [one device, more]");
    read(key, two ? *two->get(0) : node, kStartWays, target.one_device);
    if (!two) return void(target.more_devices = target.one_device);
    read(key, *two->get(1), kStartWays, target.more_devices);
  }
  void read(const std::string& key, const toml::node& node, CombineLines& target) {
    read(key, node, kLines, target);
  }
  void read(const std::string& key, const toml::node& node, CombineWorkers& target) {
    read(key, node, kWorkers, target);
  }
  void read(const std::string& key, const toml::node& node, RateOf& target) {
    read(key, node, kRates, target);
  }
  void read(const std::string& key, const toml::node& node, PhaseUnit& target) {
    read(key, node, kUnits, target);
  }
  void read(const std::string& key, const toml::node& node, StepMeaning& target) {
    read(key, node, kMeanings, target);
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

  Program& program_;
};

// A new key is a row here, a member of Program, and a row of the table in docs/programs.md.
std::vector<TomlKey> keys_into(Program& program, Reader& reader) {
  std::vector<TomlKey> keys;
  const auto key = [&](std::string name, auto& member) {
    keys.push_back({name, [name, &member, &reader](const toml::node& node) {
                      reader.note(name, node);
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

}  // namespace

ReadProgram read_program(std::string_view text, const std::string& source) {
  ReadProgram result;
  result.program.source = source;
  toml::table table;
  try {
    table = toml_in(text, source);
  } catch (const UsageError& error) {  // a problem like others
    result.problems.emplace_back(error.what());
    return result;
  }
  Reader reader(result.program, result.problems);
  read_keys(table, keys_into(result.program, reader), reader);
  return result;
}

}  // namespace lockstep
