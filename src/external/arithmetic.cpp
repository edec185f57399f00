#include "external/arithmetic.h"

#include <cstdint>
#include <functional>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::string_view kDigits = "0123456789";
constexpr size_t kLongest = 200;  // letters; also bounds how deep parentheses nest

// Reads sums of products, left to right, and computes them on the way.
class Expression {
 public:
  using Lookup = std::function<int64_t(const std::string& name)>;
  enum class Use { Check, Compute };  // Check: values are not known yet, so 0 may divide

  Expression(std::string_view text, Use use, Lookup lookup)
      : text_(text), rest_(text), use_(use), lookup_(std::move(lookup)) {}

  int64_t value() {
    if (text_.size() > kLongest) refuse();
    const int64_t result = sum();
    if (!rest_.empty()) refuse();
    return result;
  }

 private:
  [[noreturn]] void refuse() const {
    throw UsageError(
        "'{{{}}}' is neither a placeholder nor arithmetic (+ - * / and parentheses) with "
        "placeholders; write {{{{ or }}}} for braces",
        text_.substr(0, kLongest));
  }

  int64_t sum() {
    int64_t left = product();
    for (char sign = next("+-"); sign != 0; sign = next("+-")) left = apply(sign, left, product());
    return left;
  }
  int64_t product() {
    int64_t left = factor();
    for (char sign = next("*/"); sign != 0; sign = next("*/")) left = apply(sign, left, factor());
    return left;
  }
  int64_t factor() {
    if (next("(") != 0) {
      const int64_t inside = sum();
      if (next(")") == 0) refuse();
      return inside;
    }
    const size_t end = std::min(rest_.find_first_not_of(kNameLetters), rest_.size());
    const std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (word.empty()) refuse();
    if (word.find_first_not_of(kDigits) != std::string::npos) return lookup_(word);
    const auto number = whole_number(word);
    if (!number) refuse();
    return *number;
  }

  int64_t apply(char sign, int64_t left, int64_t right) const {
    if (sign == '/' && right == 0) {
      if (use_ == Use::Check) return 1;
      throw UsageError("'{{{}}}' divides by 0", text_);
    }
    int64_t result = 0;
    const bool too_large = sign == '+'   ? __builtin_add_overflow(left, right, &result)
                           : sign == '-' ? __builtin_sub_overflow(left, right, &result)
                           : sign == '*' ? __builtin_mul_overflow(left, right, &result)
                                         : left == INT64_MIN && right == -1;
    if (too_large) throw UsageError("'{{{}}}' is too large", text_);
    return sign == '/' ? left / right : result;
  }

  // One of `letters` after spaces; 0: none of them is next.
  char next(std::string_view letters) {
    skip_spaces();
    if (rest_.empty() || letters.find(rest_.front()) == std::string_view::npos) return 0;
    const char found = rest_.front();
    rest_.remove_prefix(1);
    skip_spaces();
    return found;
  }
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  std::string_view text_, rest_;
  Use use_;
  Lookup lookup_;
};

}  // namespace

bool is_placeholder_name(std::string_view text) {
  return text.find_first_not_of(kNameLetters) == std::string_view::npos &&
         text.find_first_not_of(kDigits) != std::string_view::npos;
}

std::vector<std::string> names_in(std::string_view expression) {
  std::vector<std::string> names;
  Expression(expression, Expression::Use::Check, [&](const std::string& name) {
    names.push_back(name);
    return int64_t{1};
  }).value();
  return names;
}

std::string computed(std::string_view expression,
                     const std::map<std::string, std::string>& values) {
  const auto value_of = [&](const std::string& name) {
    const std::string& value = values.at(name);
    if (const auto number = whole_number(value)) return *number;
    throw UsageError("'{{{}}}': {} is '{}', not a whole number", expression, name, value);
  };
  return fmt::to_string(Expression(expression, Expression::Use::Compute, value_of).value());
}

}  // namespace lockstep
