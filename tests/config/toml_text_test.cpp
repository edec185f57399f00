#include "config/toml_text.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string complaint(std::string_view text) {
  try {
    toml_in(text, "file.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// "a.a.a" and so on.
std::string key_of(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(TomlText, ATableIsRead) {
  const toml::table table = toml_in("a = 1\n[b]\nc = 'x'", "file.toml");
  EXPECT_EQ(table["a"].value<int>(), 1);
  EXPECT_EQ(table["b"]["c"].value<std::string>(), "x");
}

TEST(TomlText, AnErrorHasFileAndLine) {
  EXPECT_THAT(complaint("a = 1\nb = = 2"), StartsWith("file.toml:2: "));
}

TEST(TomlText, AListThatIsNotClosedIsAskedAbout) {
  const std::string hint = "; is a list above not closed with ]?";
  EXPECT_THAT(complaint("a = [\n  { b = 1 },\n"), HasSubstr(hint));
  EXPECT_THAT(complaint("a = [\n  { b = 1 },\n[defaults]\nc = true\n"), HasSubstr(hint));
  EXPECT_THAT(complaint("a = b"), Not(HasSubstr(hint)));
  EXPECT_THAT(complaint("[a\nb = 1"), Not(HasSubstr(hint)));
}

// These fail assertions of toml++ 3.3 that is built without exceptions.
TEST(TomlText, DamagedTextIsAnErrorAndNotTheEndOfTheProgram) {
  for (const std::string_view text : {"[)", "[[)", " [[[[[[)[[["}) {
    EXPECT_THAT(complaint(text), StartsWith("file.toml:1: ")) << text;
    EXPECT_THAT(complaint("a = 1\n\n" + std::string(text) + "\nb = 1\n"),
                StartsWith("file.toml:3: "))
        << text;
  }
}

TEST(TomlText, AFailedAssertionIsAnErrorLineToo) { EXPECT_THROW(refuse_damaged_toml(), Error); }

TEST(TomlText, ControlCharactersInStringsAndKeysAreRefused) {
  for (const char* text :
       {R"(b = "\u001b[2J")", R"("\u009b2J" = 1)", R"(b = [{c = "\u007f"}])", R"(b = "a\rb")"}) {
    EXPECT_EQ(complaint("a = 1\n" + std::string(text)),
              "file.toml:2: a string holds control characters")
        << text;
  }
  EXPECT_EQ(complaint("a = \"\"\"one\r\n\ttwo h\xc3\xa9 \xc2\xa9\"\"\""), "");
}

TEST(TomlText, DeepNestingIsRefused) {
  const std::string arrays = "a = " + std::string(200'000, '[');
  EXPECT_THAT(complaint(arrays), HasSubstr("nested"));
  std::string tables = "a = ";
  for (int i = 0; i < 200'000; ++i) tables += "{a=";
  EXPECT_THAT(complaint(tables), HasSubstr("nested"));
}

TEST(TomlText, AKeyOfAMillionPartsIsRefused) {
  EXPECT_EQ(complaint("\n" + key_of(1'000'000) + " = 1"),
            "file.toml:2: a key has more than 32 parts");
  EXPECT_THAT(complaint("[" + key_of(33) + "]"), HasSubstr("parts"));
  EXPECT_THAT(complaint("'='.'#'." + key_of(31) + " = 1"), HasSubstr("parts"));
  EXPECT_EQ(complaint("[" + key_of(32) + "]\n" + key_of(32) + " = 1"), "");
}

// What looks like the start of another string would hide the key.
TEST(TomlText, ALongKeyIsRefusedBehindAStringThatEndsWithQuotes) {
  for (const std::string_view text : {R"("""a"""")", R"("""a""""")", R"(""""""")", "'''a''''",
                                      "'''a'''''", "\"\"\"\\\n\"\"\"\""}) {
    const auto line = 2 + std::ranges::count(text, '\n');
    EXPECT_EQ(complaint(fmt::format("x = {}\n{} = 1", text, key_of(33))),
              fmt::format("file.toml:{}: a key has more than 32 parts", line));
  }
}

TEST(TomlText, DotsElsewhereDoNotCount) {
  const std::string dots(100, '.');
  EXPECT_EQ(complaint("a = '" + dots + "' # " + dots), "");
  EXPECT_EQ(complaint("a = \"\\\"" + dots + "\""), "");
  EXPECT_EQ(complaint("a = '''\n" + dots + "\n'''\nb = \"\"\"\n" + dots + "\\\"\"\"\""), "");
  std::string numbers = "a = [0.5";
  for (int i = 0; i < 100; ++i) numbers += ", 0.5";
  EXPECT_EQ(complaint(numbers + "]"), "");
}

}  // namespace
}  // namespace lockstep
