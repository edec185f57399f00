#include "report/results/published.h"

#include "base/text.h"
#include "report/results/csv_rows.h"
#include "report/results/published_csv.h"

namespace lockstep {

std::vector<PublishedSeries> published_series() {
  std::vector<PublishedSeries> all;
  for (const CsvRow& row : read_csv(published_csv(), "data/published.csv")) {
    const auto rate = finite_number(row.get({"images_per_sec"}));
    if (!rate) continue;  // only an efficiency was published
    const std::string source = row.get({"source"}), label = row.get({"series"});
    const std::string model = row.get({"model"});
    const int batch = static_cast<int>(whole_number(row.get({"batch"})).value());
    const bool same = !all.empty() && all.back().source == source && all.back().label == label &&
                      all.back().model == model && all.back().batch == batch;
    if (!same) {
      all.push_back(
          {.source = source, .label = label, .model = model, .batch = batch, .points = {}});
    }
    all.back().points.emplace_back(static_cast<int>(whole_number(row.get({"devices"})).value()),
                                   *rate);
  }
  // One point is no curve.
  std::erase_if(all, [](const PublishedSeries& series) { return series.points.size() < 2; });
  return all;
}

}  // namespace lockstep
