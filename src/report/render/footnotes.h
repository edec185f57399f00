// footnotes.h: remarks on rows of a table, numbered in the order of their first use.
//
// Remarks that differ only in their numbers are one footnote: "launches differ by 5.1 to 9.3 %".
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lockstep {

class Footnotes {
 public:
  std::string mark(const std::vector<std::string>& remarks);  // "[1,3]"; empty: there are none
  std::string text() const;                                   // all of them, a paragraph each

 private:
  struct Note {
    std::vector<std::string> words;                            // around the numbers
    std::vector<std::pair<std::string, std::string>> numbers;  // least and largest
  };
  std::map<std::vector<std::string>, size_t> places_;  // by words
  std::vector<Note> notes_;
};

}  // namespace lockstep
