#include "report/render/scaling_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lockstep {
namespace {

// Names come from users: characters such as / must not lead out of the directory.
std::string as_file_name(std::string name) {
  for (char& letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' ||
                       letter == '-' || letter == '.';
    if (!plain) letter = '_';
  }
  return name;
}

}  // namespace

std::vector<ReportFile> scaling_csv(const ScalingReport& report) {
  std::map<std::string, std::map<int, double>> files;
  for (const Series& series : report.series) {
    auto& rates = files[fmt::format("csv_{}{}/{}_b{}.csv", as_file_name(series.engine),
                                    series.simulated ? "_simulated" : "",
                                    as_file_name(series.model), series.batch)];
    for (const ScalingPoint& point : series.points) {
      double& rate = rates[point.devices];
      rate = std::max(rate, report.configurations[point.configuration].speed->images_per_second);
    }
  }
  std::vector<ReportFile> result;
  for (const auto& [path, rates] : files) {
    std::string text, ideal;
    const auto& [base_devices, base_rate] = *rates.begin();
    for (const auto& [devices, rate] : rates) {
      text += fmt::format("{},{:.2f}\n", devices, rate);
      ideal += fmt::format("{},{:.2f}\n", devices, base_rate * devices / base_devices);
    }
    result.push_back({path, text});
    result.push_back({path + ".ideal", ideal});
  }
  return result;
}

}  // namespace lockstep
