#include "config/json_text.h"

#include <gmock/gmock.h>

#include "config/json.h"

namespace lockstep {
namespace {

std::string nested(int levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(JsonText, AValueIsRead) {
  EXPECT_EQ(json_in(R"({"a": [1, "[[{\"[\\"]})")["a"][1], "[[{\"[\\");
  EXPECT_FALSE(json_in(nested(kDeepestJson)).is_discarded());
}

TEST(JsonText, DeepNestingIsRefusedBeforeItIsParsed) {
  EXPECT_TRUE(json_in(nested(kDeepestJson + 1)).is_discarded());
  EXPECT_TRUE(json_in(nested(200'000)).is_discarded());
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(json_in(objects).is_discarded());
}

TEST(JsonText, BracketsInStringsDoNotNest) {
  const std::string text = "[\"" + std::string(1000, '[') + "\"]";
  EXPECT_FALSE(json_in(text).is_discarded());
}

TEST(JsonText, ControlCharactersBecomeQuestionMarks) {
  Json json = {{"a", "red \x1b[31m\x07 \x7f\ttab\nline"},
               {"b",
                {"\xc2\x9b"
                 "2J",
                 "h\xc3\xa9"}}};
  make_printable(json);
  EXPECT_EQ(json["a"], "red ?[31m? ?\ttab\nline");
  EXPECT_EQ(json["b"][0], "?2J");
  EXPECT_EQ(json["b"][1], "h\xc3\xa9");
}

TEST(JsonText, ControlCharactersInKeysBecomeQuestionMarksToo) {
  Json json = json_in(R"({"a": {"\u001b]0;x\u0007": "\u001b", "b": 1, "?]0;x?": 2}, "c": 3})");
  make_printable(json);
  EXPECT_EQ(json_text(json), R"({"a":{"?]0;x?":"?","b":1},"c":3})");
}

TEST(JsonText, WhatIsNoJsonIsDiscarded) {
  for (const char* text : {"", "{", "]", "\"", "[1,]", "\"\\", "nul"}) {
    EXPECT_TRUE(json_in(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace lockstep
