// text.h: text helpers: strict number parsing, closest names, sizes and durations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Absent unless the whole text is one number.
std::optional<int64_t> whole_number(std::string_view text);
std::optional<double> finite_number(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);
std::string lower_case(std::string_view text);
std::string listed(std::span<const std::string> words);  // "a", "a and b", "a, b and c"

// The candidate with the fewest edits, if so few that it is a likely slip; empty otherwise.
std::string closest(std::string_view word, std::span<const std::string> candidates);

std::string bytes_text(int64_t bytes);       // "3.2 GB", "512 B"; powers of 1000
std::string duration_text(double seconds);   // "1:02:03", "4:05"
std::string thousands_text(int64_t number);  // "25,557,032"
std::string count_text(int64_t number, std::string_view thing);  // "1 file", "2,000 files"

}  // namespace lockstep
