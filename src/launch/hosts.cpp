#include "launch/hosts.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/regular_file.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr int64_t kMostFileBytes = 16 << 20;

constexpr int kMostSlots = 4096;

// Names go to ssh and into messages, never to a shell. But ssh would take a leading dash as an
// option, and host names have no spaces or control characters.
bool is_host_name(const std::string& name) {
  constexpr std::string_view kAllowed = "._-:@%";
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [&](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           kAllowed.find(letter) != std::string_view::npos;
  });
}

// "me@" of "me@node1"; and what follows it.
std::string user_in(const std::string& target) {
  const size_t at = target.rfind('@');
  return at == std::string::npos ? "" : target.substr(0, at + 1);
}
std::string without_user(const std::string& target) {
  return target.substr(user_in(target).size());
}

// The ssh name keeps the user of the host, unless it names its own.
void reach_by(Host& host, const std::string& alias) {
  host.ssh_target = (user_in(alias).empty() ? user_in(host.ssh_target) : "") + alias;
}

class Reader {
 public:
  Reader(std::string where, int line) : where_(std::move(where)), line_(line) {}

  Host host(const std::string& text) const {
    const size_t alias = text.find('=');
    if (alias != std::string::npos && !text.starts_with('-')) {
      const Host reached = host(text.substr(alias + 1));
      Host called = host(text.substr(0, alias));
      reach_by(called, reached.ssh_target);
      if (reached.slots) called.slots = reached.slots;
      return called;
    }
    const size_t bracket = text.find('[');
    if (bracket == 0 || (bracket < text.size() && text[bracket - 1] == '@')) {
      return bracketed(text, bracket);
    }
    const size_t colon = text.find(':');
    const bool plain = colon == std::string::npos || text.find(':', colon + 1) < text.size();
    if (plain) return checked({text, text});  // several colons: an IPv6 address
    return checked({text.substr(0, colon), text.substr(0, colon), slots(text.substr(colon + 1))});
  }

  // A word after the host on its line.
  void add_word(Host& host, const std::string& word) const {
    constexpr std::string_view kSlots = "slots=", kMost = "max_slots=", kMostToo = "max-slots=";
    if (word.starts_with(kSlots)) {
      host.slots = slots(word.substr(kSlots.size()));
    } else if (!word.starts_with(kMost) && !word.starts_with(kMostToo)) {
      if (without_user(host.ssh_target) != host.name) {
        complain(fmt::format("'{}' is unexpected; use HOST [SSH_NAME] [slots=N]", word));
      }
      reach_by(host, checked({word, word}).ssh_target);
    }
  }

  [[noreturn]] void complain(const std::string& why) const {
    throw UsageError("{}{}: {}", where_, line_ > 0 ? fmt::format(":{}", line_) : "", why);
  }

 private:
  Host bracketed(const std::string& text, size_t begin) const {
    const size_t end = text.find(']', begin);
    const bool whole = end != std::string::npos && (end + 1 == text.size() || text[end + 1] == ':');
    if (!whole) complain(fmt::format("'{}' must be [IPV6] or [IPV6]:SLOTS", text));
    const std::string name = text.substr(0, begin) + text.substr(begin + 1, end - begin - 1);
    Host host = checked({name, name});
    if (end + 1 < text.size()) host.slots = slots(text.substr(end + 2));
    return host;
  }

  // The user is for ssh only; the other hosts use the part after the '@'.
  Host checked(Host host) const {
    const std::string name = without_user(host.name);
    if (!is_host_name(host.name) || !is_host_name(name) || host.name.rfind('@') == 0) {
      complain(fmt::format("'{}' is not a valid host name", host.name));
    }
    host.name = name;
    return host;
  }

  int slots(const std::string& text) const {
    const auto number = whole_number(text);
    if (!number || *number < 1 || *number > kMostSlots) {
      complain(fmt::format("slots must be a number from 1 to {}, not '{}'", kMostSlots, text));
    }
    return static_cast<int>(*number);
  }

  std::string where_;
  int line_;  // 0: the text has no lines
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Collects all problems of a list, to report them together.
class Problems {
 public:
  template <typename Reading>
  void note(const Reading& reading) {
    try {
      reading();
    } catch (const UsageError& error) {
      lines_.emplace_back(error.what());
    }
  }
  void report() const {
    if (!lines_.empty()) throw UsageError("{}", fmt::join(lines_, "\n"));
  }

 private:
  std::vector<std::string> lines_;
};

void add_line(std::vector<Host>& hosts, const std::string& line, const Reader& reader,
              Problems& problems) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty()) return;
  const std::vector<std::string> listed = split(words[0], ',');
  const size_t before = hosts.size();
  for (const std::string& text : listed) {
    problems.note([&] { hosts.push_back(reader.host(text)); });
  }
  if (hosts.size() == before) return;
  if (words.size() > 1 && listed.size() > 1) {
    reader.complain("a comma-separated list of hosts must be alone on its line");
  }
  for (size_t i = 1; i < words.size(); ++i) reader.add_word(hosts.back(), words[i]);
}

void refuse_twice(const std::vector<Host>& hosts, const std::string& where) {
  std::map<std::string, int> times;
  for (const Host& host : hosts) ++times[host.name];
  Problems problems;
  for (const auto& [name, count] : times) {
    if (count == 1) continue;
    // Clang 16 with OpenMP captures no structured binding by itself.
    problems.note([&where, &name = name, &count = count] {
      throw UsageError("{}: {} is listed {}; use {}:SLOTS for several devices", where, name,
                       count == 2 ? "twice" : fmt::format("{} times", count), name);
    });
  }
  problems.report();
}

// Or a pipe that can be read once, such as a shell's <(...).
bool is_file(const std::string& text) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(text, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

// No domain has these endings.
bool looks_like_a_file(const std::string& text) {
  constexpr std::string_view kEndings[] = {".txt", ".list",     ".lst",   ".cfg",  ".conf",
                                           ".ini", ".hostfile", ".hosts", ".nodes"};
  return text.find('/') != std::string::npos ||
         std::ranges::any_of(kEndings, [&](auto ending) { return text.ends_with(ending); });
}

}  // namespace

std::string no_file_either(const std::string& file_or_list, const std::string& why) {
  const bool unknown = why.find("resolve") != std::string::npos;
  const bool one_word =
      !file_or_list.empty() && file_or_list.find_first_of(", :\n") == std::string::npos;
  if (!unknown || !one_word || is_file(file_or_list)) return why;
  return fmt::format("{}; no file '{}' either", why, file_or_list);
}

std::vector<Host> parse_hosts(const std::string& text, const std::string& where) {
  std::vector<Host> hosts;
  Problems problems;
  const std::vector<std::string> lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const int line = lines.size() > 1 ? static_cast<int>(i) + 1 : 0;
    problems.note([&] { add_line(hosts, lines[i], Reader(where, line), problems); });
  }
  problems.report();
  if (hosts.empty()) throw UsageError("{}: no hosts given", where);
  refuse_twice(hosts, where);
  return hosts;
}

std::string hosts_text(const std::vector<Host>& hosts) {
  const auto address = [](const std::string& name) {  // a colon would begin the slots
    return name.find(':') == std::string::npos ? name : "[" + name + "]";
  };
  std::vector<std::string> words;
  for (const Host& host : hosts) {
    const bool same = without_user(host.ssh_target) == host.name;
    std::string& word = words.emplace_back(same ? "" : address(host.name) + "=");
    word += address(host.ssh_target);
    if (host.slots) word += fmt::format(":{}", *host.slots);
  }
  return fmt::format("{}", fmt::join(words, ","));
}

std::vector<Host> read_hosts(const std::string& file_or_list) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file_or_list, unknown) &&
      file_or_list.find('/') != std::string::npos) {
    throw UsageError("--hosts {}: is a directory; give a file or a list of hosts", file_or_list);
  }
  if (!is_file(file_or_list)) {
    if (looks_like_a_file(file_or_list)) {
      throw UsageError("--hosts {}: no such file", file_or_list);
    }
    return parse_hosts(file_or_list, "--hosts");
  }
  return parse_hosts(read_regular_file(file_or_list, {.most_bytes = kMostFileBytes, .pipes = true}),
                     file_or_list);
}

}  // namespace lockstep
