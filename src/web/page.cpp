#include "web/page.h"

#include <cassert>
#include <string_view>
#include <vector>

#include "config/json.h"
#include "config/json_text.h"
#include "web/page_assets.h"

namespace lockstep {
namespace {

// The data must not end the script element that holds it, or start a comment.
std::string inside_script(const Json& data) {
  std::string text = json_text(data), result;
  for (const char letter : text) result += letter == '<' ? "\\u003c" : std::string(1, letter);
  return result;
}

struct Place {
  std::string_view mark;
  std::string text;
};

}  // namespace

std::string page_html(const Json& data) {
  const std::vector<Place> places = {
      {"/*uplot-style*/", std::string(uplot_style())},
      {"/*page-style*/", std::string(page_style())},
      {"/*data*/", inside_script(data)},
      {"/*uplot-script*/", std::string(uplot_script())},
      {"/*page-charts*/", std::string(page_charts())},
      {"/*page-sections*/", std::string(page_sections())},
      {"/*page-timeline*/", std::string(page_timeline())},
      {"/*page-answer*/", std::string(page_answer())},
      {"/*page-script*/", std::string(page_script())},
  };
  std::string_view rest = page_template();  // which has them in this order
  std::string html;
  for (const Place& place : places) {
    const size_t at = rest.find(place.mark);
    assert(at != std::string_view::npos);
    html += rest.substr(0, at);
    html += place.text;
    rest.remove_prefix(at + place.mark.size());
  }
  html += rest;
  return html;
}

}  // namespace lockstep
