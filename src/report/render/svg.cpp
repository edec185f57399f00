#include "report/render/svg.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

// Okabe and Ito 2008, without yellow (invisible on white); lighter colours for the dark scheme.
constexpr const char* kStyle = R"(<style>
svg{background:#ffffff;font-family:system-ui,sans-serif;font-size:13px}
.text{fill:#1f2328}.title{fill:#1f2328;font-size:17px;font-weight:600}.small{fill:#59636e;font-size:12px}
.axis{stroke:#59636e;stroke-width:1}.grid{stroke:#d9dee3;stroke-width:1}
.ideal{stroke:#818b98;stroke-width:1.5;stroke-dasharray:2 4;fill:none}
.line{stroke-width:2;fill:none;stroke:currentColor}.error{stroke:currentColor;stroke-width:1.5}
.mark{fill:currentColor;stroke:#ffffff;stroke-width:1}.mark.open{fill:#ffffff;stroke:currentColor;stroke-width:1.5}.part{fill:currentColor;stroke:#ffffff;stroke-width:1}
.c0{color:#0072b2}.c1{color:#d55e00}.c2{color:#009e73}.c3{color:#b8578c}.c4{color:#e69f00}.c5{color:#2f9fd8}.c6{color:#1f2328}
.heat{fill:#0072b2}.d1{stroke-dasharray:8 4}.d2{stroke-dasharray:3 3}.d3{stroke-dasharray:10 3 3 3}
@media (prefers-color-scheme:dark){svg{background:#0d1117}.text,.title{fill:#e6edf3}.small{fill:#9198a1}
.heat{fill:#4ba3dd}.axis{stroke:#9198a1}.grid{stroke:#2a313c}.mark,.part{stroke:#0d1117}.mark.open{fill:#0d1117;stroke:currentColor}
.c0{color:#4ba3dd}.c1{color:#ff8a4c}.c2{color:#2fc79b}.c3{color:#e596bf}.c4{color:#f2b83b}.c5{color:#7cc8f2}.c6{color:#e6edf3}}
</style>
)";

std::string with_tip(std::string_view tag, std::string_view shape, std::string_view tip) {
  if (tip.empty()) return fmt::format("<{}/>\n", shape);
  return fmt::format("<{}><title>{}</title></{}>\n", shape, escaped(tip), tag);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

Svg::Svg(double width, double height, std::string_view title, std::string_view description) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">{2}</title>\n"
      "<desc id=\"d\">{3}</desc>\n",
      width, height, escaped(title), escaped(description));
  body_ += kStyle;
}

void Svg::text(const Text& what) {
  const std::string turned =
      what.upright ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", what.x, what.y) : "";
  body_ +=
      fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" class=\"{}\"{}>{}</text>\n",
                  what.x, what.y, what.anchor, what.kind, turned, escaped(what.text));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view kind) {
  body_ +=
      fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" class=\"{}\"/>\n",
                  x1, y1, x2, y2, kind);
}

void Svg::polyline(std::string_view points, std::string_view kind) {
  body_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", points, kind);
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view kind,
                    std::string_view tip) {
  body_ += with_tip("rect",
                    fmt::format("rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
                                "height=\"{:.2f}\" class=\"{}\"",
                                x, y, width, height, kind),
                    tip);
}

void Svg::shade(double x, double y, double width, double height, double strength,
                std::string_view tip) {
  body_ += with_tip("rect",
                    fmt::format("rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                                "class=\"heat\" fill-opacity=\"{:.2f}\"",
                                x, y, width, height, strength),
                    tip);
}

void Svg::marker(double x, double y, size_t shape, std::string_view kind, std::string_view tip) {
  constexpr const char* kPaths[] = {
      "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",  // circle
      "M-4.5,-4.5h9v9h-9z",                     // square
      "M0,-6l5.5,10h-11z",                      // triangle
      "M0,-6.5l5.5,6.5l-5.5,6.5l-5.5,-6.5z",    // diamond
      "M0,6l5.5,-10h-11z",                      // triangle upside down
  };
  body_ += with_tip("path",
                    fmt::format("path d=\"{}\" transform=\"translate({:.2f} {:.2f})\" class=\"{}\"",
                                kPaths[shape % std::size(kPaths)], x, y, kind),
                    tip);
}

std::string Svg::done() { return body_ + "</svg>\n"; }

}  // namespace lockstep
