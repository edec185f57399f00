#include "config/toml_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr int kMostKeyParts = 32;

// Of a key such as a.b.c every part is a table in a table, and tables in tables are destroyed by
// recursion: a key of a million parts would overflow the stack. toml++ 3.3 has no limit for them.
class KeyDepth {
 public:
  // Returns the first line with a key of too many parts; 0: there is none.
  int first_line_too_deep(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n' && quote_.size() == 1) quote_ = "";  // toml++ refuses such a string
      if (quote_.empty()) {
        outside_string(text, at);
      } else if (text[at] == '\\' && quote_.front() == '"') {
        ++at;
      } else if (text.substr(at).starts_with(quote_)) {
        at = last_quote(text, at);
        quote_ = "";
      }
      if (parts_ > kMostKeyParts) {
        return static_cast<int>(std::ranges::count(text.substr(0, at), '\n')) + 1;
      }
    }
    return 0;
  }

 private:
  // Of the quotes that end a string, which begin at `at`. One or two more before three of them are
  // its last characters: """a"""" is the text a".
  size_t last_quote(std::string_view text, size_t at) const {
    const size_t most = quote_.size() == 1 ? 1 : 5;
    return std::min(text.find_first_not_of(quote_.front(), at), at + most) - 1;
  }

  void outside_string(std::string_view text, size_t& at) {
    for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
      if (!text.substr(at).starts_with(quote)) continue;
      quote_ = quote;
      at += quote.size() - 1;
      return;
    }
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size()) - 1;
    if (text[at] == '.') ++parts_;
    if (std::string_view("=,[]{}\n").find(text[at]) != std::string_view::npos) parts_ = 1;
  }

  std::string_view quote_ = {};  // the one that ends the string that this is in
  int parts_ = 1;
};

// A string can hold what commands a terminal, as "\u001b[2J", and names and notes of files are
// shown.
void refuse_control_characters(std::string_view text, const toml::source_region& place,
                               const std::string& source) {
  if (!commands_terminal(text)) return;
  throw UsageError("{}:{}: a string holds control characters", source, place.begin.line);
}

void refuse_control_characters(const toml::node& node, const std::string& source) {
  if (const auto* text = node.as_string()) {
    refuse_control_characters(text->get(), node.source(), source);
  } else if (const toml::array* list = node.as_array()) {
    for (const toml::node& each : *list) refuse_control_characters(each, source);
  } else if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      refuse_control_characters(key.str(), key.source(), source);
      refuse_control_characters(value, source);
    }
  }
}

bool fails_assertion(std::string_view text) {
  try {
    [[maybe_unused]] const toml::table table = toml::parse(text);
  } catch (const toml::parse_error&) {  // the end of this text, perhaps
  } catch (const Error&) {
    return true;
  }
  return false;
}

// An assertion knows no line: the first lines of the text are parsed, fewer each time.
int line_of_assertion(std::string_view text) {
  std::vector<size_t> ends;
  for (size_t end = 0; (end = text.find('\n', end)) != std::string_view::npos;) {
    ends.push_back(++end);
  }
  const auto first = std::ranges::partition_point(
      ends, [&](size_t end) { return !fails_assertion(text.substr(0, end)); });
  return static_cast<int>(first - ends.begin()) + 1;
}

// A list that is not closed goes on to the end of the file, or to the next [table].
std::string hint_on(std::string_view problem, std::string_view line) {
  const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  const bool table = line.size() > first + 1 && line[first] == '[' &&
                     std::isalpha(static_cast<unsigned char>(line[first + 1])) != 0;
  const bool open = problem.find("parsing array: encountered end-of-file") != problem.npos ||
                    (table && problem.find("could not determine value type") != problem.npos);
  return open ? "; is a list above not closed with ]?" : "";
}

}  // namespace

void refuse_damaged_toml() { throw Error("not valid TOML"); }

toml::table toml_in(std::string_view text, const std::string& source) {
  if (const int line = KeyDepth().first_line_too_deep(text); line > 0) {
    throw UsageError("{}:{}: a key has more than {} parts", source, line, kMostKeyParts);
  }
  try {
    toml::table table = toml::parse(text);
    refuse_control_characters(table, source);
    return table;
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    const std::vector<std::string> lines = split(text, '\n');
    throw UsageError(
        "{}:{}: {}{}", source, line, error.description(),
        hint_on(error.description(), line < 1 || line > lines.size() ? "" : lines.at(line - 1)));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {  // of an assertion
    throw UsageError("{}:{}: {}", source, line_of_assertion(text), error.what());
  }
}

}  // namespace lockstep
