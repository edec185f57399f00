// line_writer.h: a stream buffer that writes whole lines, each with one write(), so that lines of
// several processes on one pipe do not mix.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace lockstep {

class LineWriter : public std::streambuf {
 public:
  explicit LineWriter(int file) : file_(file) {}  // borrowed
  ~LineWriter() override { sync(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // From now on lines are kept, the last ones at least, until flush_held() writes them. What nobody
  // asks for is lost.
  void hold() { holding_ = true; }
  void flush_held();

 protected:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;  // the beginning of a line as well

 private:
  void hand_over(size_t count);
  void keep(std::string_view lines);

  int file_;
  std::string text_;
  bool holding_ = false;
  std::string held_;
};

}  // namespace lockstep
