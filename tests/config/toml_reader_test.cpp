#include "config/toml_reader.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

struct Values {
  std::string text;
  bool truth = false;
  int whole = 0;
  double number = 0;
  enum class Colour { Red, Green } colour = Colour::Red;
};
constexpr TomlWord<Values::Colour> kColours[] = {{"red", Values::Colour::Red},
                                                 {"green", Values::Colour::Green}};

std::vector<std::string> read(const std::string& text, Values& values,
                              const std::string& part = "") {
  std::vector<std::string> problems;
  TomlReader reader("f.toml", problems, part);
  const std::vector<TomlKey> keys = {
      {"text", [&](const toml::node& node) { reader.read("text", node, values.text); }},
      {"truth", [&](const toml::node& node) { reader.read("truth", node, values.truth); }},
      {"in.whole",
       [&](const toml::node& node) {
         reader.read("in.whole", node, values.whole, {.least = 1, .most = 9});
       }},
      {"in.number",
       [&](const toml::node& node) {
         reader.read("in.number", node, values.number, {.above = true});
       }},
      {"colour",
       [&](const toml::node& node) { reader.read("colour", node, kColours, values.colour); }},
  };
  read_keys(toml_in(text, "f.toml"), keys, reader);
  return problems;
}

TEST(TomlReader, ReadsTypedValuesOfKeysInTables) {
  Values values;
  EXPECT_THAT(
      read("text = 'a'\ntruth = true\ncolour = 'green'\n[in]\nwhole = 9\nnumber = 3\n", values),
      ElementsAre());
  EXPECT_EQ(values.text, "a");
  EXPECT_TRUE(values.truth);
  EXPECT_EQ(values.whole, 9);
  EXPECT_EQ(values.number, 3);
  EXPECT_EQ(values.colour, Values::Colour::Green);
}

TEST(TomlReader, ANumberInQuotesIsSaidToNeedNone) {
  Values values;
  EXPECT_THAT(
      read("[in]\nwhole = '7'\nnumber = '0.5'\n", values),
      UnorderedElementsAre("f.toml:2: in.whole must be a whole number from 1 to 9, not a text: "
                           "write 7 without quotes",
                           "f.toml:3: in.number must be a number above 0, not a text: write 0.5 "
                           "without quotes"));
}

TEST(TomlReader, ValuesThatWouldFillTheLineAreLeftOut) {
  Values values;
  EXPECT_THAT(read("text = [1, 2]\n", values),
              ElementsAre("f.toml:1: text must be a string in quotes"));
  EXPECT_THAT(
      read("truth = '" + std::string(500, 'x') + "'\n", values),
      ElementsAre("f.toml:1: truth must be true or false, not '" + std::string(40, 'x') + "...'"));
  EXPECT_THAT(read("truth = 2026-11-18\n", values),
              ElementsAre("f.toml:1: truth must be true or false"));
}

TEST(TomlReader, EveryProblemHasFileLineAndKey) {
  Values values;
  EXPECT_THAT(
      read("colour = 'blue'\ntext = 3\ntruth = 1\ntxet = 'a'\n[in]\nnumber = 0\nwhole = 10\n",
           values),
      ElementsAre("f.toml:1: colour must be one of red, green, not 'blue'",
                  "f.toml:6: in.number must be a number above 0, not 0",
                  "f.toml:7: in.whole must be a whole number from 1 to 9, not 10",
                  "f.toml:2: text must be a string in quotes, not 3",
                  "f.toml:3: truth must be true or false, not 1",
                  "f.toml:4: unknown key txet; did you mean text?"));
  EXPECT_THAT(read("text = 3\n", values, "layer 2: "),
              ElementsAre("f.toml:1: layer 2: text must be a string in quotes, not 3"));
}

}  // namespace
}  // namespace lockstep
