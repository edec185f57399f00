// toml_reader.h: typed values of a TOML file by a table of keys. Every problem names file, line and
// key, and all problems of a file are found at once.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml_text.h"

namespace lockstep {

inline constexpr double kLargestInToml = 1e12;  // no file needs more

struct TomlRange {
  double least = 0;
  double most = kLargestInToml;  // if less, the problem names it
  bool above = false;            // `least` itself is not allowed
};

template <typename Enum>
struct TomlWord {
  std::string_view text;
  Enum value;
};

class TomlReader {
 public:
  // Problems are added to a list that outlives this. Behind the line they begin with `part`, the
  // part of the file that is read: "layer 3 (conv): ".
  TomlReader(std::string source, std::vector<std::string>& problems, std::string part = "")
      : source_(std::move(source)), part_(std::move(part)), problems_(problems) {}

  // "FILE:LINE: TEXT"
  void add_problem(const toml::node& node, std::string_view text);
  // "FILE:LINE: KEY must be WANTED"
  void refuse(const std::string& key, const toml::node& node, std::string_view wanted);

  void read(const std::string& key, const toml::node& node, std::string& target);
  void read(const std::string& key, const toml::node& node, bool& target);
  void read(const std::string& key, const toml::node& node, int& target, const TomlRange& range);
  void read(const std::string& key, const toml::node& node, double& target, const TomlRange& range);

  template <typename Enum, size_t n>
  void read(const std::string& key, const toml::node& node, const TomlWord<Enum> (&words)[n],
            Enum& target) {
    const std::string text = node.value_exact<std::string>().value_or("");
    std::vector<std::string> all;
    for (const TomlWord<Enum>& word : words) {
      if (word.text == text) return void(target = word.value);
      all.emplace_back(word.text);
    }
    refuse_word(key, node, all);
  }

 private:
  void refuse_number(const std::string& key, const toml::node& node, const std::string& wanted);
  void refuse_word(const std::string& key, const toml::node& node,
                   const std::vector<std::string>& words);

  std::string source_, part_;
  std::vector<std::string>& problems_;
};

int line_of(const toml::node& node);

struct TomlKey {
  std::string name;  // of a key in a table: "table.key"
  std::function<void(const toml::node&)> read;
};

// Calls the reader of every key in the table and in the tables that begin the names of keys; other
// keys are problems.
void read_keys(const toml::table& table, std::span<const TomlKey> keys, TomlReader& reader,
               const std::string& prefix = "");

// A value as on the command line: 3, true, text. Throws UsageError that begins with `where` for
// what is no single value.
std::string value_text(const toml::node& node, const std::string& where);

}  // namespace lockstep
