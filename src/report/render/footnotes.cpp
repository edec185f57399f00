#include "report/render/footnotes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "report/render/text_table.h"

namespace lockstep {
namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

double value_of(const std::string& number) { return std::strtod(number.c_str(), nullptr); }

struct Pieces {
  std::vector<std::string> words = {""}, numbers = {};  // one more of the words
};

// A digit within a word, as in fp16, is no number.
Pieces pieces_of(const std::string& remark) {
  Pieces pieces;
  for (size_t i = 0; i < remark.size();) {
    const bool begins = is_digit(remark[i]) && (i == 0 || remark[i - 1] == ' ');
    if (!begins) {
      pieces.words.back() += remark[i++];
      continue;
    }
    size_t end = i;
    while (end < remark.size() &&
           (is_digit(remark[end]) ||
            (remark[end] == '.' && end + 1 < remark.size() && is_digit(remark[end + 1])))) {
      ++end;
    }
    pieces.numbers.push_back(remark.substr(i, end - i));
    pieces.words.emplace_back();
    i = end;
  }
  return pieces;
}

}  // namespace

std::string Footnotes::mark(const std::vector<std::string>& remarks) {
  std::vector<size_t> numbers;
  for (const std::string& remark : remarks) {
    const Pieces pieces = pieces_of(remark);
    const auto [place, fresh] = places_.try_emplace(pieces.words, notes_.size());
    if (fresh) {
      Note& note = notes_.emplace_back(Note{pieces.words, {}});
      for (const std::string& number : pieces.numbers) note.numbers.emplace_back(number, number);
    }
    Note& note = notes_[place->second];
    for (size_t i = 0; i < pieces.numbers.size(); ++i) {
      auto& [least, largest] = note.numbers[i];
      if (value_of(pieces.numbers[i]) < value_of(least)) least = pieces.numbers[i];
      if (value_of(pieces.numbers[i]) > value_of(largest)) largest = pieces.numbers[i];
    }
    const size_t number = place->second + 1;
    if (!std::ranges::count(numbers, number)) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers.empty() ? "" : fmt::format("[{}]", fmt::join(numbers, ","));
}

std::string Footnotes::text() const {
  std::string text;
  for (size_t i = 0; i < notes_.size(); ++i) {
    const Note& note = notes_[i];
    std::string line = fmt::format("[{}] {}", i + 1, note.words.front());
    for (size_t j = 0; j < note.numbers.size(); ++j) {
      const auto& [least, largest] = note.numbers[j];
      line +=
          (least == largest ? least : fmt::format("{} to {}", least, largest)) + note.words[j + 1];
    }
    text += wrapped(line + "\n", "    ");
  }
  return text;
}

}  // namespace lockstep
