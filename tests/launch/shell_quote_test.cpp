#include "launch/shell_quote.h"

#include <gmock/gmock.h>

#include "launch/run_commands.h"

namespace lockstep {
namespace {

using ::testing::ElementsAreArray;

// What a real shell makes of the line: its words, one per output line, newlines as '|'.
std::vector<std::string> words_a_shell_reads(const std::string& line) {
  std::vector<std::string> words;
  const Command shell = {
      .name = "shell",
      .argv = {
          "/bin/sh", "-c",
          "show() { for w; do printf '%s' \"$w\" | tr '\\n' '|'; echo .; done; }; show " + line}};
  run_commands(std::span(&shell, 1), {}, {.line = [&](const OutputLine& output) {
                 words.push_back(output.text);
                 return Next::GoOn;
               }});
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
