#include "report/results/published.h"

#include <cassert>

#include "base/text.h"
#include "report/results/published_csv.h"

namespace lockstep {
namespace {

// Cells in quotes may hold commas; none holds a quote.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells = {""};
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += letter;
    }
  }
  return cells;
}

}  // namespace

std::vector<PublishedSeries> published_series() {
  std::vector<PublishedSeries> all;
  for (const std::string& line : split(published_csv(), '\n')) {
    if (line.empty() || line.starts_with('#') || line.starts_with("source,")) continue;
    const std::vector<std::string> cells = cells_of(line);
    assert(cells.size() == 6);
    const int batch = static_cast<int>(whole_number(cells[3]).value());
    const bool same = !all.empty() && all.back().source == cells[0] &&
                      all.back().label == cells[1] && all.back().model == cells[2] &&
                      all.back().batch == batch;
    if (!same) {
      all.push_back(
          {.source = cells[0], .label = cells[1], .model = cells[2], .batch = batch, .points = {}});
    }
    all.back().points.emplace_back(static_cast<int>(whole_number(cells[4]).value()),
                                   finite_number(cells[5]).value());
  }
  return all;
}

}  // namespace lockstep
