// definition.h: somebody else's benchmark: how it is started, and where its numbers are in what it
// prints. Plain values; a TOML file says them (program_file.h), docs/programs.md explains them.
#pragma once

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

// Several numbers of one worker, one after the other.
enum class CombineLines { Last, Mean, Median };  // Mean: all images over all time
// One number of each worker.
enum class CombineWorkers { Mean, Median, Sum, Last };

// What a line of the step pattern tells.
enum class StepMeaning {
  Interval,     // the throughput since the line before: a sample
  RunningMean,  // the throughput of all steps so far: not a sample
};

enum class RateOf { Run, Device };  // Device: to be multiplied by the number of devices

struct ProgramArgument {
  std::vector<std::string> words;  // with {placeholders}
  bool optional = false;           // left out when one of its placeholders has no value

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
  int skip_steps = 0;                    // first step lines of every worker that do not count
  std::optional<int> enough_steps = {};  // that count: when all workers have them, the run is over
};

struct Program {
  std::string name, source;  // source: the file, or "ready-made"
  std::string folder;        // of the file: {here}
  std::string description;
  Arguments command;
  std::map<std::string, StartWay> start = {{"default", StartWay::Single}};  // by variable update
  Arguments mpirun;       // what stands before the command; empty: the usual
  int servers = 1;        // of Roles
  std::string directory;  // to run in
  TextMap env;
  std::map<std::string, TextMap> names;  // placeholder -> our word -> the program's
  TextMap fixed;                         // options that the program does not let us choose
  ProgramOutput output;
  int exit_code = 0;
  std::string required_line, forbidden_line;  // regular expressions; empty: none
  double timeout_seconds = 3600;
  std::optional<double> silence_seconds;

  std::map<std::string, int> lines;  // of the file, where "output.step" and so on are said
};

// Every mistake, one line each, beginning with file and line.
std::vector<std::string> problems_in(const Program& program);

StartWay start_way(const Program& program, const std::string& variable_update);

// All names that may stand in braces: the options of a run and the place of a process in it.
std::vector<std::string> known_placeholders();
std::vector<std::string> placeholders_of(const Program& program);

std::string at(const Program& program, const std::string& key);  // "file.toml:12: output.step"

}  // namespace lockstep
