// main.cpp: hands the outside world to the program.
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "app/own_engines.h"
#include "app/program.h"

int main(int count, char** words) {
  using namespace lockstep;
  const std::vector<EngineKind> engines = own_engines();
  const char* kind = std::getenv("TERM");
  const bool terminal =
      isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
  const char* no_colour = std::getenv("NO_COLOR");
  const Environment environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  std::error_code unknown;
  Surroundings around = {
      .engines = engines,
      .out = std::cout,
      .err = std::cerr,
      .err_is_terminal = terminal,
      .colour = terminal && (no_colour == nullptr || *no_colour == '\0'),
      .program = std::filesystem::read_symlink("/proc/self/exe", unknown).string(),
      .default_threads =
          environment("OMP_NUM_THREADS") ? std::optional(omp_get_max_threads()) : std::nullopt,
      .environment = environment};
  const std::vector<std::string> arguments(words + 1, words + count);
  return run_program(around, arguments);
}
