#include "config/toml_reader.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::string words_of(const TomlRange& range) {
  const std::string most = fmt::format("{:.15g}", range.most);
  if (range.above) {
    return fmt::format("above {:.15g}{}", range.least,
                       range.most < kLargestInToml ? " and at most " + most : "");
  }
  return range.most < kLargestInToml ? fmt::format("from {:.15g} to {}", range.least, most)
                                     : fmt::format("of at least {:.15g}", range.least);
}

bool holds(const TomlRange& range, double number) {
  return number >= range.least && number <= range.most && !(range.above && number == range.least);
}

bool begins_names(std::span<const TomlKey> keys, const std::string& table) {
  return std::ranges::any_of(keys,
                             [&](const TomlKey& key) { return key.name.starts_with(table + "."); });
}

std::string unknown_key(const std::string& name, std::span<const TomlKey> keys) {
  std::vector<std::string> known;
  for (const TomlKey& key : keys) known.push_back(key.name);
  const std::string near = closest(name, known);
  return fmt::format("unknown key {}; {}", name,
                     near.empty() ? fmt::format("use one of {}", fmt::join(known, ", "))
                                  : fmt::format("did you mean {}?", near));
}

// ", not 'x'"; nothing for a list or a table, which would fill the line.
std::string instead(const toml::node& node) {
  constexpr size_t kLongest = 40;
  if (node.is_array() || node.is_table() || node.is_date() || node.is_time() ||
      node.is_date_time()) {
    return "";
  }
  std::string text = value_text(node, "");
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return fmt::format(", not {}", node.is_string() ? "'" + text + "'" : text);
}

}  // namespace

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

void TomlReader::add_problem(const toml::node& node, std::string_view text) {
  // A key or a value may hold anything, an end of line as well.
  problems_.push_back(fmt::format("{}:{}: {}", source_, line_of(node),
                                  printable(fmt::format("{}{}", part_, text))));
}

void TomlReader::refuse(const std::string& key, const toml::node& node, std::string_view wanted) {
  add_problem(node, fmt::format("{} must be {}{}", key, wanted, instead(node)));
}

void TomlReader::refuse_number(const std::string& key, const toml::node& node,
                               const std::string& wanted) {
  const auto text = node.value_exact<std::string>();
  if (!text || !finite_number(*text)) return refuse(key, node, wanted);
  add_problem(
      node, fmt::format("{} must be {}, not a text: write {} without quotes", key, wanted, *text));
}

void TomlReader::refuse_word(const std::string& key, const toml::node& node,
                             const std::vector<std::string>& words) {
  refuse(key, node, fmt::format("one of {}", fmt::join(words, ", ")));
}

void TomlReader::read(const std::string& key, const toml::node& node, std::string& target) {
  if (const auto text = node.value_exact<std::string>()) return void(target = *text);
  refuse(key, node, "a string in quotes");
}

void TomlReader::read(const std::string& key, const toml::node& node, bool& target) {
  if (const auto value = node.value_exact<bool>()) return void(target = *value);
  refuse(key, node, "true or false");
}

void TomlReader::read(const std::string& key, const toml::node& node, int& target,
                      const TomlRange& range) {
  const auto number = node.value_exact<int64_t>();
  if (number && holds(range, static_cast<double>(*number))) {
    return void(target = static_cast<int>(*number));
  }
  refuse_number(key, node, "a whole number " + words_of(range));
}

void TomlReader::read(const std::string& key, const toml::node& node, double& target,
                      const TomlRange& range) {
  const auto number = node.value<double>();
  if (node.is_number() && number && holds(range, *number)) {
    return void(target = *number);
  }
  refuse_number(key, node, "a number " + words_of(range));
}

void read_keys(const toml::table& table, std::span<const TomlKey> keys, TomlReader& reader,
               const std::string& prefix) {
  for (const auto& [name, node] : table) {
    const std::string full = prefix + std::string(name.str());
    const auto known = std::ranges::find(keys, full, &TomlKey::name);
    if (known != keys.end()) {
      known->read(node);
    } else if (node.is_table() && begins_names(keys, full)) {
      read_keys(*node.as_table(), keys, reader, full + ".");
    } else {
      reader.add_problem(node, unknown_key(full, keys));
    }
  }
}

std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const auto whole = node.value_exact<int64_t>()) return fmt::to_string(*whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  throw UsageError("{} must be a value or a list of values", where);
}

}  // namespace lockstep
