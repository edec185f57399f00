#include "report/render/csv.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
}

}  // namespace

std::string csv_line(std::span<const std::string> cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + quoted(cell);
  return line + "\n";
}

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "";
}

}  // namespace lockstep
