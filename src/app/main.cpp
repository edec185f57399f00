// main.cpp: hands the outside world to the program.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/native.h"
#include "app/program.h"

int main(int count, char** words) {
  using namespace lockstep;
  const EngineKind engines[] = {native_engine_kind()};
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const char* no_colour = std::getenv("NO_COLOR");
  std::error_code unknown;
  Surroundings around = {
      .engines = engines,
      .out = std::cout,
      .err = std::cerr,
      .err_is_terminal = terminal,
      .colour = terminal && (no_colour == nullptr || *no_colour == '\0'),
      .program = std::filesystem::read_symlink("/proc/self/exe", unknown).string()};
  const std::vector<std::string> arguments(words + 1, words + count);
  return run_program(around, arguments);
}
