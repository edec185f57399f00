#include "base/shell_quote.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <memory>

namespace lockstep {
namespace {

using ::testing::ElementsAreArray;

// What a real shell makes of the line: its words, one per output line, newlines as '|'.
std::vector<std::string> words_a_shell_reads(const std::string& line) {
  const std::string script =
      "show() { for w; do printf '%s' \"$w\" | tr '\\n' '|'; echo .; done; }; show " + line;
  const std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(script.c_str(), "r"), pclose);
  std::vector<std::string> words(1);
  for (int letter = std::fgetc(shell.get()); letter != EOF; letter = std::fgetc(shell.get())) {
    if (letter == '\n') {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(letter);
    }
  }
  words.pop_back();  // after the last newline
  return words;
}

TEST(ShellQuote, NothingInAWordMeansAnythingToAShell) {
  const std::vector<std::string> words = {
      "plain",     "two words", "it's", "\"quoted\"",  "a;echo b",  "$(echo no)",
      "`echo no`", "$HOME",     "*",    "back\\slash", "a&b|c>d<e", "#no",
      "~",         "!history",  "",     "''",          "-n"};
  std::vector<std::string> expected;
  for (const std::string& word : words) expected.push_back(word + ".");
  EXPECT_THAT(words_a_shell_reads(shell_line(words)), ElementsAreArray(expected));
}

TEST(ShellQuote, PlainWordsStayReadable) {
  EXPECT_EQ(shell_line({"/usr/bin/lockstep", "train", "--model=vgg16", "-n", "a b", "x=1"}),
            "/usr/bin/lockstep train --model=vgg16 -n 'a b' 'x=1'");
}

TEST(ShellQuote, NewlinesStayPartOfTheirWord) {
  EXPECT_THAT(words_a_shell_reads(shell_line({"one\ntwo", "three\n"})),
              ElementsAreArray({"one|two.", "three|."}));
}

}  // namespace
}  // namespace lockstep
