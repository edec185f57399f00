#include "external/plan_program.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "config/run_options.h"
#include "external/template.h"
#include "launch/family_options.h"
#include "measure/cores.h"

namespace lockstep {
namespace {

using Values = std::map<std::string, std::string>;

// Options of lockstep itself, not of the program.
constexpr std::string_view kOurOptions[] = {"program", "program-dir", "program-timeout",
                                            "log-dir", "result",      "verbose"};

// No binding: a rank bound to a single core cannot use its threads.
const Arguments kUsualMpirun = {
    {.words = {"mpirun", "-np", "{size}", "--bind-to", "none", "--map-by", "slot"}}};
// Open MPI needs both variables to run as root; other MPIs ignore them.
const TextMap kMpirunEnvironment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};

std::string with_underscores(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

bool has_roles(StartWay way) { return way == StartWay::Roles || way == StartWay::Workers; }

bool spreads_devices(const Program& program, const RunConfig& run) {
  return start_way(program, run) != StartWay::Single;
}

// Role and rank of one process.
struct Place {
  std::string job_name = "", task_index = "", rank = "0";
};

class Planner {
 public:
  Planner(const Program& program, const RunConfig& run, const Addresses& addresses)
      : program_(program),
        run_(run),
        way_(start_way(program, run)),
        counts_(process_counts(program, run)) {
    read_options();
    values_["port"] = addresses.port;
    if (has_roles(way_)) {
      values_["job_name"] = "worker";
      values_["task_index"] = "0";
      values_["ps_hosts"] = fmt::format("{}", fmt::join(addresses.servers, ","));
      values_["worker_hosts"] = fmt::format("{}", fmt::join(addresses.workers, ","));
    }
    check_needed();
    check_arithmetic();
    if (!problems_.empty()) throw NotSupportedError("{}", fmt::join(problems_, "\n"));
  }

  std::vector<Command> plan() const {
    std::vector<Command> commands;
    for (int i = 0; i < counts_.servers; ++i) {
      Command server = command(fmt::format("server {}", i), role("ps", i));
      server.role = Command::Role::Server;
      commands.push_back(std::move(server));
    }
    for (int i = 0; i < processes(); ++i) {
      commands.push_back(
          command(processes() == 1 ? program_.name : fmt::format("worker {}", i),
                  has_roles(way_) ? role("worker", i) : Place{.rank = fmt::to_string(i)}));
    }
    return commands;
  }

 private:
  // Of a device: as given, or its share of the cores here.
  int threads() const {
    const int cores = static_cast<int>(allowed_cores().size());
    return run_.threads > 0 ? run_.threads : std::max(1, cores / run_.num_devices);
  }
  int processes() const { return way_ == StartWay::Mpirun ? 1 : counts_.workers; }
  static Place role(const std::string& job, int i) {
    return {.job_name = job, .task_index = fmt::to_string(i), .rank = fmt::to_string(i)};
  }

  void read_options() {
    for (const RunOption& option : run_options()) {
      const std::string name = with_underscores(option.name);
      values_[name] = in_their_words(option, text_of(run_, option));
    }
    values_["threads"] = fmt::to_string(threads());
    values_["size"] = fmt::to_string(counts_.workers);
    values_["num_devices"] = fmt::to_string(way_ == StartWay::Single ? run_.num_devices : 1);
    values_["here"] = program_.folder;
    if (run_.python.empty()) values_["python"] = "python3";
    for (const char* place : {"job_name", "task_index", "ps_hosts", "worker_hosts"}) {
      values_[place] = "";
    }
    values_["rank"] = "0";
  }

  std::string in_their_words(const RunOption& option, const std::string& value) {
    const auto map = program_.names.find(with_underscores(option.name));
    if (map == program_.names.end() || value.empty()) return value;
    const auto word = map->second.find(value);
    if (word != map->second.end()) return word->second;
    std::vector<std::string> known;
    for (const auto& row : map->second) known.push_back(row.first);
    problems_.push_back(fmt::format("--{} {}: not supported by {}; use one of {}", option.name,
                                    value, program_.name, fmt::join(known, ", ")));
    return value;
  }

  void check_needed() {
    for (const ProgramArgument& argument : program_.command) {
      if (argument.optional) continue;
      for (const std::string& word : argument.words) {
        for (const std::string& name : empty_values(word, values_)) {
          problems_.push_back(fmt::format("{} needs a value for {{{}}}", program_.name, name));
        }
      }
    }
  }

  // What the file cannot tell: values that are not numbers, divisions by 0.
  void check_arithmetic() {
    each_template(program_, [&](const std::string& key, const std::string& text) {
      try {
        if (empty_values(text, values_).empty()) expanded(text, values_);
      } catch (const UsageError& error) {  // one line among the others
        problems_.push_back(fmt::format("{}: {}", at(program_, key), error.what()));
      }
    });
  }

  static std::vector<std::string> empty_values(const std::string& text, const Values& values) {
    std::vector<std::string> names = placeholders_in(text);
    std::erase_if(names, [&](const std::string& name) { return !values.at(name).empty(); });
    return names;
  }

  static void append(std::vector<std::string>& argv, const Arguments& arguments,
                     const Values& values) {
    const auto has_values = [&](const std::string& word) {
      return empty_values(word, values).empty();
    };
    for (const ProgramArgument& argument : arguments) {
      if (argument.optional && !std::ranges::all_of(argument.words, has_values)) continue;
      for (const std::string& word : argument.words) argv.push_back(expanded(word, values));
    }
  }

  Command command(const std::string& name, const Place& place) const {
    Values values = values_;
    values["job_name"] = place.job_name;
    values["task_index"] = place.task_index;
    values["rank"] = place.rank;
    Command result = {.name = name, .argv = {}};
    if (way_ == StartWay::Mpirun) {
      append(result.argv, program_.mpirun.empty() ? kUsualMpirun : program_.mpirun, values);
      result.env = kMpirunEnvironment;
    }
    append(result.argv, program_.command, values);
    for (const auto& [variable, value] : program_.env) {
      if (empty_values(value, values).empty()) result.env[variable] = expanded(value, values);
    }
    result.directory =
        run_.program_dir.empty() ? expanded(program_.directory, values) : run_.program_dir;
    result.expected_exit_code = program_.exit_code;
    return result;
  }

  const Program& program_;
  const RunConfig& run_;
  StartWay way_;
  ProcessCounts counts_;
  Values values_;
  std::vector<std::string> problems_;
};

}  // namespace

RunConfig with_fixed_options(const Program& program, const RunConfig& run) {
  RunConfig fixed = run;
  std::vector<std::string> problems;
  const TextMap values = fixed_options(program, run);
  for (const RunOption& option : run_options()) {
    const std::string name = with_underscores(option.name);
    const auto value = values.find(name);
    if (value == values.end()) continue;
    set_option(fixed, option, value->second);
    const std::string wanted = text_of(run, option), given = text_of(fixed, option);
    if (wanted == given || wanted == text_of({}, option)) continue;
    const std::string where = program.fixed.contains(name) ? "" : " on " + run.device;
    problems.push_back(fmt::format("--{} {}: not supported by {}; it always uses {}{}", option.name,
                                   wanted, program.name, given, where));
  }
  if (!problems.empty()) throw NotSupportedError("{}", fmt::join(problems, "\n"));
  return fixed;
}

std::vector<std::string> unsupported_options(const Program& program, const RunConfig& options) {
  std::vector<std::string> problems;
  const std::vector<std::string> placeholders = placeholders_of(program);
  const TextMap fixed = fixed_options(program, options);
  for (const RunOption& option : run_options()) {
    const std::string name = with_underscores(option.name), value = text_of(options, option);
    const bool chooses_start = option.name == "variable-update" && program.start.contains(value);
    const bool has_place = std::ranges::count(placeholders, name) || fixed.contains(name) ||
                           std::ranges::count(kOurOptions, option.name) || chooses_start ||
                           (option.name == "num-devices" && spreads_devices(program, options));
    if (has_place || value == text_of({}, option)) continue;
    problems.push_back(fmt::format("--{}{}: not supported by {}; its command has no {{{}}}",
                                   option.name, is_switch(option) ? "" : " " + value, program.name,
                                   name));
  }
  return problems;
}

ProcessCounts process_counts(const Program& program, const RunConfig& run) {
  const StartWay way = start_way(program, run);
  return {.servers = way == StartWay::Roles ? program.servers : 0,
          .workers = way == StartWay::Single ? 1 : run.num_devices};
}

int reporting_workers(const Program& program, const RunConfig& run) {
  const std::string& lines =
      program.output.total.empty() ? program.output.step : program.output.total;
  const bool told_apart = lines.find("(?P<worker>") != std::string::npos;
  return told_apart ? run.num_devices : process_counts(program, run).workers;
}

std::vector<Command> plan_program(const Program& program, const RunConfig& run,
                                  const Addresses& addresses) {
  return Planner(program, run, addresses).plan();
}

}  // namespace lockstep
