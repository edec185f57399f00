// svg.h: the SVG shapes of charts. Numbers have two decimals, so that the same data give the same
// bytes.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

std::string escaped(std::string_view text);  // for XML

class Svg {
 public:
  // `description`: for screen readers.
  Svg(double width, double height, std::string_view title, std::string_view description);

  struct Text {
    double x, y;
    std::string_view text;
    const char* anchor = "start";
    const char* kind = "text";  // class of the style sheet
    bool upright = false;       // rotated by 90 degrees
  };
  void text(const Text& what);
  void line(double x1, double y1, double x2, double y2, std::string_view kind);
  void polyline(std::string_view points, std::string_view kind);
  void rectangle(double x, double y, double width, double height, std::string_view kind,
                 std::string_view tip = {});
  void shade(double x, double y, double width, double height, double strength,  // 0 .. 1
             std::string_view tip);
  // One of a few shapes, by number.
  void marker(double x, double y, size_t shape, std::string_view kind, std::string_view tip = {});
  std::string done();

  static constexpr size_t kColours = 7;  // kinds c0 .. c6

 private:
  std::string body_;
};

}  // namespace lockstep
