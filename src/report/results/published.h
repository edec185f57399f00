// published.h: published scaling curves, shown behind one's own. The data are in
// data/published.csv, which names each source and is embedded in the program.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

struct PublishedSeries {
  std::string source, label, model;
  int batch = 0;                               // per device; 0: not stated
  std::vector<std::pair<int, double>> points;  // devices, images per second
};

std::vector<PublishedSeries> published_series();

}  // namespace lockstep
