#include "base/log_line.h"

#include <fmt/format.h>
#include <unistd.h>

namespace lockstep {

void log_line(std::string_view text) {
  const std::string line = fmt::format("lockstep: {}\n", text);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace lockstep
