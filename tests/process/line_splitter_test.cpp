#include "process/line_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

struct Lines {
  std::vector<std::string> texts;
  std::vector<bool> whole;
  LineSink sink() {
    return [this](const Line& line) {
      texts.push_back(line.text);
      whole.push_back(line.whole);
    };
  }
};
using Texts = std::vector<std::string>;

TEST(LineSplitter, PutsLinesTogetherWhereverTheBytesWereCut) {
  const std::string text = "one\ntwo\r\nthree\rfour\n\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    LineSplitter buffer;
    Lines lines;
    buffer.add(text.substr(0, cut), lines.sink());
    buffer.add(text.substr(cut), lines.sink());
    buffer.finish(lines.sink());
    EXPECT_EQ(lines.texts, (Texts{"one", "two", "three", "four"})) << "cut at " << cut;
  }
}

TEST(LineSplitter, ALineThatNeverEndsIsNotWhole) {
  LineSplitter buffer;
  Lines lines;
  buffer.add("whole\ntotal images/sec: 20", lines.sink());
  EXPECT_EQ(lines.texts, Texts{"whole"});
  buffer.finish(lines.sink());
  EXPECT_EQ(lines.texts.back(), "total images/sec: 20");
  EXPECT_EQ(lines.whole, (std::vector<bool>{true, false}));
}

TEST(LineSplitter, AnEndlessLineIsCutAndTheNextOneIsRead) {
  LineSplitter buffer;
  Lines lines;
  const std::string chunk(100'000, 'x');
  for (int i = 0; i < 100; ++i) buffer.add(chunk, lines.sink());
  EXPECT_TRUE(lines.texts.empty());
  buffer.add("\nnext\n", lines.sink());
  ASSERT_EQ(lines.texts.size(), 2u);
  EXPECT_EQ(lines.texts[0].size(), LineSplitter::kLongestLine);
  EXPECT_EQ(lines.whole, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace lockstep
