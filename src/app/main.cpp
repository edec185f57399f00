// main.cpp: collects streams, environment and signals of the process and runs the program.
#include <fcntl.h>
#include <omp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "app/config_files.h"
#include "app/own_engines.h"
#include "app/program.h"
#include "base/bundle.h"
#include "base/interrupt.h"
#include "base/line_writer.h"
#include "base/shell_quote.h"
#include "measure/hwloc_hold.h"
#include "revision.h"

namespace {

// Else the next file that is opened takes the place of a stream that the caller closed, and
// messages are appended to it, be it results.jsonl. Reading and writing fail as before: /dev/null
// is open the wrong way round.
void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number
  }
}

// As the XDG Base Directory Specification says: a relative path does not count.
std::string cache_directory(const lockstep::Environment& environment) {
  const auto absolute = [&](const char* variable) -> std::filesystem::path {
    const std::filesystem::path path = environment(variable).value_or("");
    return path.is_absolute() ? path : "";
  };
  std::filesystem::path base = absolute("XDG_CACHE_HOME");
  if (base.empty() && !absolute("HOME").empty()) base = absolute("HOME") / ".cache";
  return base.empty() ? "" : (base / "lockstep").string();
}

// The path to start this program by.
std::string own_program() {
  std::error_code unknown;
  const std::string executable = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  std::string program = lockstep::startable(executable);
  if (program != executable) prctl(PR_SET_NAME, "lockstep");  // else top shows the loader's name
  return program;
}

// A bundle's hwloc must not load the system's plugins, which bring libraries built for another C
// library. The programs that a bundle starts may, so the variable is gone once hwloc has looked.
lockstep::HwlocHold without_plugins_of_the_system(const std::string& program) {
  constexpr const char* kPath = "HWLOC_PLUGINS_PATH";
  if (!lockstep::is_bundled(program) || std::getenv(kPath)) return {nullptr, [](void*) {}};
  setenv(kPath, std::filesystem::path(program).parent_path().c_str(), /*overwrite=*/0);
  lockstep::HwlocHold hold = lockstep::hold_hwloc();
  unsetenv(kPath);
  return hold;
}

// Of the user's command, which a launcher passes on to the processes that it starts.
lockstep::Provenance provenance_of(int count, char** words,
                                   const lockstep::Environment& environment) {
  std::error_code unknown;
  const std::vector<std::string> line(words, words + count);
  return {.revision = LOCKSTEP_REVISION,
          .command_line =
              environment(lockstep::kCommandLineVariable).value_or(lockstep::shell_line(line)),
          .working_directory = environment(lockstep::kWorkingDirectoryVariable)
                                   .value_or(std::filesystem::current_path(unknown).string()),
          .started_by = environment(lockstep::kStartedByVariable).value_or(""),
          .settings = environment(lockstep::kSettingsVariable).value_or("")};
}

std::vector<std::string> own_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(lockstep::kVariablePrefix))
      names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace

int main(int count, char** words) {
  using namespace lockstep;
  occupy_closed_streams();  // before anything is opened
  // CUDA counts the fastest GPU first; the management library, by PCI address. Now both do.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);
  // NCCL connects the ranks when its communicator is made, which has a time-out, and not in the
  // first collective, of which a rank could not say that it waits for others.
  setenv("NCCL_RUNTIME_CONNECT", "0", /*overwrite=*/0);
  // In a container without /sys hwloc would say so at each question; the facts are then unknown.
  setenv("HWLOC_HIDE_ERRORS", "2", /*overwrite=*/0);
  const std::string program = own_program();
  const HwlocHold hwloc = without_plugins_of_the_system(program);
  const SignalThread signals;  // before any other thread
  const std::vector<EngineKind> engines = own_engines();
  const char* kind = std::getenv("TERM");
  const bool terminal =
      isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
  const char* no_colour = std::getenv("NO_COLOR");
  const Environment environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  LineWriter lines(STDERR_FILENO);
  std::ostream err(&lines);
  RunContext context = {
      {.out = std::cout,
       .err = err,
       .err_is_terminal = terminal,
       .colour = terminal && (no_colour == nullptr || *no_colour == '\0'),
       .program = program,
       .cache_directory = cache_directory(environment),
       .default_threads =
           environment("OMP_NUM_THREADS") ? std::optional(omp_get_max_threads()) : std::nullopt,
       .environment = environment,
       .own_variables = own_variables(),
       .provenance = provenance_of(count, words, environment),
       .hold_err = [&lines] { lines.hold(); }},
      engines};
  const std::vector<std::string> arguments(words + 1, words + count);
  const std::string defaults = environment(kDefaultsVariable).value_or("");
  setenv(kDefaultsVariable, kNoDefaults, /*overwrite=*/1);
  const int code = run_program(
      context, arguments, [&](const RunContext& each) { return defaults_of_user(each, defaults); });
  if (code != kSuccess) lines.flush_held();
  return code;
}
