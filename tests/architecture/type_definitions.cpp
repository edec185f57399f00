// type_definitions.cpp: a reader of tokens and braces, which is all that it takes to find the heads
// of types. It knows nothing of expressions: their braces are scopes that hold no types of
// interest.
#include "architecture/type_definitions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Cuts a source into names and marks, without comments, literals and preprocessor lines.
class Tokens {
 public:
  explicit Tokens(std::string_view source) : rest_(source) {}

  // Empty at the end.
  std::string next() {
    while (skip_space() || skip_comment() || skip_directive() || skip_literal()) {
    }
    const size_t length = name_length();
    return std::string(take(length > 0 ? length : rest_.starts_with("::") ? 2 : 1));
  }

 private:
  // A number is a name here, its quote marks (1'000) included.
  size_t name_length() const {
    const bool number = !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]));
    size_t length = 0;
    while (length < rest_.size() && (in_name(rest_[length]) || (number && rest_[length] == '\''))) {
      ++length;
    }
    return length;
  }
  std::string_view take(size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool take_to(std::string_view end, size_t from) {
    const size_t at = rest_.find(end, from);
    take(at == std::string_view::npos ? rest_.size() : at + end.size());
    return true;
  }
  bool skip_space() {
    if (rest_.empty() || !std::isspace(static_cast<unsigned char>(rest_[0]))) return false;
    line_starts_ = line_starts_ || rest_[0] == '\n';
    take(1);
    return true;
  }
  bool skip_comment() {
    if (rest_.starts_with("//")) return take(std::min(rest_.find('\n'), rest_.size())), true;
    return rest_.starts_with("/*") && take_to("*/", 2);
  }
  bool skip_directive() {
    if (!std::exchange(line_starts_, false) || !rest_.starts_with('#')) return false;
    size_t end = rest_.find('\n');
    while (end != std::string_view::npos && rest_[end - 1] == '\\') end = rest_.find('\n', end + 1);
    take(std::min(end, rest_.size()));
    return true;
  }
  bool skip_literal() {
    if (rest_.starts_with("R\"")) {
      const std::string_view mark = rest_.substr(2, rest_.find('(') - 2);
      return take_to(")" + std::string(mark) + "\"", 2);
    }
    if (!rest_.starts_with('"') && !rest_.starts_with('\'')) return false;
    const char quote = rest_[0];
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote) end += rest_[end] == '\\' ? 2 : 1;
    take(end + 1);
    return true;
  }

  std::string_view rest_;
  bool line_starts_ = true;
};

bool is_key(const std::string& word) {
  constexpr std::array kKeys = {"class", "struct", "union", "enum"};
  return std::find(kKeys.begin(), kKeys.end(), word) != kKeys.end();
}

// The place after the bracket that closes the one at `begin`.
size_t after_group(const Words& words, size_t begin, const char* open, const char* close) {
  int depth = 0;
  for (size_t at = begin; at < words.size(); ++at) {
    if (words[at] == open) ++depth;
    if (words[at] == close && --depth == 0) return at + 1;
  }
  return words.size();
}

// The type that is defined when a brace follows these words; empty: none is.
std::string type_of(const Words& head) {
  size_t at = 0;
  while (at < head.size() && !is_key(head[at])) {
    at = head[at] == "template" ? after_group(head, at + 1, "<", ">") : at + 1;
  }
  while (at < head.size() && is_key(head[at])) ++at;  // enum class
  while (at < head.size() && (head[at] == "[" || head[at] == "alignas")) {
    at = head[at] == "[" ? after_group(head, at, "[", "]") : after_group(head, at + 1, "(", ")");
  }
  std::string name;
  while (at < head.size() && (head[at] == "::" || in_name(head[at][0])) && head[at] != "final") {
    if (!name.empty() && head[at] != "::" && !name.ends_with("::")) return "";  // class X f() {
    name += head[at++];
  }
  if (at < head.size() && head[at] == "<") {
    for (const size_t end = after_group(head, at, "<", ">"); at < end;) name += head[at++];
  }
  const bool ends = at == head.size() || head[at] == "final" || head[at] == ":";
  return ends ? name : "";
}

struct Scope {
  enum class Kind { Named, Hidden } kind;  // hidden: what is inside cannot be meant from elsewhere
  std::string name;
};

Scope scope_of(const Words& head) {
  const auto at = std::find(head.begin(), head.end(), "namespace");
  if (at != head.end()) {
    std::string name;
    for (auto word = at + 1; word != head.end(); ++word) name += *word;
    return {name.empty() ? Scope::Kind::Hidden : Scope::Kind::Named, name};
  }
  if (head == Words{"extern"}) return {Scope::Kind::Named, ""};  // extern "C"
  const std::string type = type_of(head);
  return {type.empty() ? Scope::Kind::Hidden : Scope::Kind::Named, type};
}

std::string qualified(const std::vector<Scope>& scopes) {
  std::string name;
  for (const Scope& scope : scopes) {
    if (!name.empty() && !scope.name.empty()) name += "::";
    name += scope.name;
  }
  return name;
}

}  // namespace

std::vector<std::string> type_definitions(std::string_view source) {
  std::vector<std::string> found;
  std::vector<Scope> scopes;
  Words head;  // since the last ; { or }
  Tokens tokens(source);
  for (std::string token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "{") {
      scopes.push_back(scope_of(head));
      const bool hidden = std::any_of(scopes.begin(), scopes.end(), [](const Scope& scope) {
        return scope.kind == Scope::Kind::Hidden;
      });
      if (!hidden && !type_of(head).empty()) found.push_back(qualified(scopes));
    } else if (token == "}") {
      if (scopes.empty()) throw std::runtime_error("a brace closes nothing");
      scopes.pop_back();
    }
    if (token == "{" || token == "}" || token == ";") {
      head.clear();
    } else {
      head.push_back(token);
    }
  }
  if (!scopes.empty()) throw std::runtime_error("a brace is not closed");
  return found;
}

}  // namespace lockstep
