#include "nn/model_names.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace lockstep {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Levenshtein distance, one row at a time.
size_t edits(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string canonical_name(std::string_view name) {
  std::string result;
  bool apart = false;  // something that does not count stands before this character
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    const bool version = c == 'v' && i + 1 < name.size() && is_digit(name[i + 1]);
    if (version || c == '-' || c == '_' || c == '.' || c == ' ') {
      apart = true;
      continue;
    }
    if (apart && is_digit(c) && !result.empty() && is_digit(result.back())) result += '_';
    result += c;
    apart = false;
  }
  if (result.ends_with("_1")) result.resize(result.size() - 2);
  return result;
}

std::vector<std::string> close_names(std::string_view name, std::span<const std::string> names) {
  const std::string wanted = canonical_name(name);
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& candidate : names) {
    const std::string other = canonical_name(candidate);
    const bool part = wanted.size() >= 3 && other.starts_with(wanted);
    const size_t distance = part ? 1 : edits(wanted, other);
    if (distance <= std::max<size_t>(2, wanted.size() / 3))
      ranked.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<size_t, std::string>::first);
  std::vector<std::string> close;
  for (const auto& [distance, candidate] : ranked) {
    if (close.size() < 3) close.push_back(candidate);
  }
  return close;
}

}  // namespace lockstep
