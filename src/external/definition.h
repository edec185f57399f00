// definition.h: the definition of an external program: how it is started, and how its output is
// read. Plain values, read from TOML by definition_file.h; docs/programs.md describes the keys.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

enum class StartWay {
  Single,     // one process drives all devices
  PerDevice,  // one process for each device
  Mpirun,     // one for each device, started by mpirun
  Roles,      // parameter servers, and one worker for each device
  Workers,    // the same without servers
};

struct StartChoice {
  StartWay one_device = StartWay::Single, more_devices = StartWay::Single;
};

// How several numbers of one worker are combined.
enum class CombineLines { Last, Mean, Median };  // Mean: all images over all time
// How the numbers of the workers are combined.
enum class CombineWorkers { Mean, Median, Sum, Last };

// Meaning of a line that matches the step pattern.
enum class StepMeaning {
  Interval,     // throughput since the previous line: a sample
  RunningMean,  // throughput of all steps so far: samples are derived, see running_means.h
};

// What a number is the throughput of.
enum class RateOf {
  Run,
  Device,  // multiplied by the number of devices
  Worker,  // of the worker that printed it: workers are added up
};

enum class PhaseUnit { Second, Millisecond };

struct ProgramArgument {
  std::vector<std::string> words;  // with {placeholders}
  bool optional = false;           // left out if a placeholder has no value

  bool operator==(const ProgramArgument&) const = default;
};
using Arguments = std::vector<ProgramArgument>;
using TextMap = std::map<std::string, std::string>;

struct ProgramOutput {
  std::string step, total;  // regular expressions; at least one
  StepMeaning step_is = StepMeaning::Interval;
  RateOf step_of = RateOf::Run, total_of = RateOf::Run;
  CombineLines lines = CombineLines::Last;
  CombineWorkers workers = CombineWorkers::Mean;
  std::string loss;  // regular expression, besides a group "loss" of `step`; empty: none
  TextMap phases;    // regular expressions of seconds per step, by name of the phase
  PhaseUnit phase_unit = PhaseUnit::Second;
  int skip_steps = 0;                    // leading step lines of each worker to ignore
  std::optional<int> enough_steps = {};  // the run ends when all workers have so many lines
};

struct Program {
  std::string name, source;  // source: the file, or "ready-made"
  std::string folder;        // of the file: {here}
  std::string description;
  Arguments command;
  std::map<std::string, StartChoice> start = {{"default", {}}};  // by variable update
  Arguments mpirun;       // words before the command; empty: the default
  int servers = 1;        // of Roles
  std::string directory;  // working directory
  TextMap env;
  std::map<std::string, TextMap> names;     // placeholder -> our name -> the program's name
  TextMap fixed;                            // options that the program fixes
  std::map<std::string, TextMap> fixed_on;  // the same, by device: "cpu", "cuda"
  ProgramOutput output;
  int exit_code = 0;
  std::string required_line, forbidden_line;  // regular expressions; empty: none
  double timeout_seconds = 3600;
  std::optional<double> silence_seconds;

  std::map<std::string, int> lines;  // line number in the file, by key
};

// All problems, one line each, starting with file and line.
std::vector<std::string> problems_in(const Program& program);

StartWay start_way(const Program& program, const RunConfig& run);

// The options that the program fixes on the device of this run.
TextMap fixed_options(const Program& program, const RunConfig& run);

// All valid placeholders: run options, and rank, size, ports etc. of a process.
std::vector<std::string> known_placeholders();
std::vector<std::string> placeholders_of(const Program& program);

// Every string of the definition that may have placeholders, with its key.
void each_template(
    const Program& program,
    const std::function<void(const std::string& key, const std::string& text)>& visit);

std::string at(const Program& program, const std::string& key);  // "file.toml:12: output.step"

}  // namespace lockstep
