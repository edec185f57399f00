#include "app/command_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "app/flag_file.h"
#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Of absl; all print the same help here.
constexpr std::string_view kHelpNames[] = {"help", "helpfull", "helpshort", "helpxml"};

struct LongWord {
  std::string name;  // with dashes for underscores
  std::optional<std::string> value = {};
};

LongWord long_word(const std::string& argument) {
  const size_t begin = std::min(argument.find_first_not_of('-'), argument.size());
  const size_t equals = argument.find('=');
  std::string name = argument.substr(begin, equals - begin);
  std::ranges::replace(name, '_', '-');
  if (equals == std::string::npos) return {name};
  return {name, argument.substr(equals + 1)};
}

// Behind a switch it is meant as its value, as behind any other flag.
bool is_truth(const std::string& word) {
  return lower_case(word) == "true" || lower_case(word) == "false";
}

class Reader {
 public:
  explicit Reader(const CommandSyntax& syntax) : syntax_(syntax) {}

  void read(std::span<const std::string> arguments) {
    std::deque<std::string> left(arguments.begin(), arguments.end());
    while (!left.empty()) {
      const std::string word = left.front();
      left.pop_front();
      if (word == "--") {
        result_.words.push_back(word);
        for (const std::string& rest : left) result_.words.push_back(rest);
        return;
      }
      if (!word.starts_with('-') || word.size() < 2) {
        result_.words.push_back(word);
      } else if (word.starts_with("--") || is_long_with_one_dash(word)) {
        read_long(word, left);
      } else {
        read_letters(word, left);
      }
    }
  }

  CommandWords result() && { return std::move(result_); }

 private:
  using Left = std::deque<std::string>;

  const Flag* named(const std::string& name) const {
    const auto flag =
        std::ranges::find_if(syntax_.flags, [&](const Flag& each) { return has_name(each, name); });
    return flag == syntax_.flags.end() ? nullptr : &*flag;
  }
  const Flag* switched_off(const std::string& name) const {
    const auto flag = std::ranges::find_if(syntax_.flags, [&](const Flag& each) {
      return is_switch(each) && (name == "no" + each.name || name == "no-" + each.name);
    });
    return flag == syntax_.flags.end() ? nullptr : &*flag;
  }
  const Flag* lettered(char letter) const {
    const auto flag = std::ranges::find(syntax_.flags, letter, &Flag::letter);
    return flag == syntax_.flags.end() ? nullptr : &*flag;
  }

  bool is_known(const std::string& name) const {
    return std::ranges::count(kHelpNames, name) > 0 || name == "flagfile" || name == "undefok" ||
           named(name) || switched_off(name);
  }
  bool is_long_with_one_dash(const std::string& word) const {
    const std::string name = long_word(word).name;
    return name.size() > 1 && is_known(name);
  }

  // The value behind '=', or the next word.
  static std::optional<std::string> value_of(const LongWord& word, Left& left) {
    if (word.value || left.empty()) return word.value;
    std::string next = left.front();
    left.pop_front();
    return next;
  }

  void push(const std::string& name, const std::optional<std::string>& value) {
    result_.words.push_back("--" + name);
    if (value) result_.words.push_back(*value);  // else the parser reports that it is missing
  }

  void read_long(const std::string& argument, Left& left) {
    const LongWord word = long_word(argument);
    if (std::ranges::count(kHelpNames, word.name)) return push("help", {});
    if (const Flag* flag = named(word.name); flag && !is_switch(*flag)) {
      return push(word.name, value_of(word, left));
    }
    if (word.name == "flagfile") return read_flag_file_of(value_of(word, left).value_or(""));
    if (word.name == "undefok") return allow_unknown(value_of(word, left).value_or(""));
    if (!word.value && named(word.name) && !left.empty() && is_truth(left.front())) {
      result_.words.push_back("--" + word.name + "=" + lower_case(left.front()));
      left.pop_front();
      return;
    }
    const bool nameless = word.name.empty();  // "---": the parser calls it unknown
    result_.words.push_back(nameless ? argument
                                     : "--" + word.name + (word.value ? "=" + *word.value : ""));
  }

  void read_flag_file_of(const std::string& path) {
    if (path.empty()) return complain("--flagfile needs the name of a file");
    if (std::ranges::count(open_files_, path)) {
      return complain(fmt::format("--flagfile {}: it contains itself; remove it from {}", path,
                                  open_files_.back()));
    }
    open_files_.push_back(path);
    try {
      read(lockstep::read_flag_file(path));
    } catch (const UsageError& error) {  // one line among the others
      complain(error.what());
    }
    open_files_.pop_back();
  }
  void complain(const std::string& problem) { result_.problems.push_back(problem); }

  void allow_unknown(const std::string& names) {
    for (std::string name : split(names, ',')) {
      std::ranges::replace(name, '_', '-');
      result_.may_be_unknown.insert(name);
      result_.may_be_unknown.insert("no" + name);
    }
  }

  void read_letters(const std::string& word, Left& left) {
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string rest = word.substr(i + 1);
      if (word[i] == 'h') return read_h(rest, left);
      const Flag* flag = lettered(word[i]);
      if (!flag) return result_.words.push_back(word);
      if (!is_switch(*flag)) {
        const bool equals = rest.starts_with('=');
        const LongWord said = {
            flag->name, rest.empty() ? std::optional<std::string>() : rest.substr(equals ? 1 : 0)};
        return push(flag->name, value_of(said, left));
      }
      if (rest.empty() && is_verbosity(*flag, left)) return push("verbosity", value_of({}, left));
      if (flag->letter == 'v' && rest.starts_with('=')) return push("verbosity", rest.substr(1));
      push(flag->name, {});
    }
  }

  // absl's -v N: its messages are not ours, but its number must not become a word of its own.
  bool is_verbosity(const Flag& flag, const Left& left) const {
    return flag.letter == 'v' && !left.empty() && whole_number(left.front()) && named("verbosity");
  }

  // -h WORD and -hWORD name hosts, where a command has hosts; else it asks for help.
  void read_h(const std::string& rest, Left& left) {
    const bool next_is_word = rest.empty() && !left.empty() && !left.front().starts_with('-');
    if (!lettered('h') || (rest.empty() && !next_is_word)) return push("help", {});
    const std::string hosts = rest.starts_with('=') ? rest.substr(1) : rest;
    const LongWord word = {"hosts", rest.empty() ? std::optional<std::string>() : hosts};
    push("hosts", value_of(word, left));
  }

  const CommandSyntax& syntax_;
  CommandWords result_;
  std::vector<std::string> open_files_;
};

}  // namespace

bool is_switch(const Flag& flag) { return flag.value_name.empty(); }

std::vector<std::string> names_of(const Flag& flag) {
  std::vector<std::string> names = {flag.name};
  names.insert(names.end(), flag.aliases.begin(), flag.aliases.end());
  return names;
}

bool has_name(const Flag& flag, const std::string& name) {
  return flag.name == name || std::ranges::count(flag.aliases, name) > 0;
}

CommandWords command_words(const CommandSyntax& syntax, std::span<const std::string> arguments) {
  Reader reader(syntax);
  reader.read(arguments);
  return std::move(reader).result();
}

}  // namespace lockstep
