// line_writer.h: a stream buffer that writes whole lines, each with one write(), so that lines of
// several processes on one pipe do not mix.
#pragma once

#include <streambuf>
#include <string>

namespace lockstep {

class LineWriter : public std::streambuf {
 public:
  explicit LineWriter(int file) : file_(file) {}  // borrowed
  ~LineWriter() override { sync(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

 protected:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;  // the beginning of a line as well

 private:
  void hand_over(size_t count);

  int file_;
  std::string text_;
};

}  // namespace lockstep
