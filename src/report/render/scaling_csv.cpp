#include "report/render/scaling_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

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

using Rates = std::map<int, double>;  // by devices

Rates rates_of(const ScalingReport& report, const Series& series) {
  Rates rates;
  for (const ScalingPoint& point : series.points) {
    rates[point.devices] = report.configurations[point.configuration].speed->images_per_second;
  }
  return rates;
}

// What tells it from other series of its network: "variable-update=horovod".
std::string settings_of(const Series& series) {
  const std::string common =
      fmt::format("{}:{} on {}, ", series.model, series.batch, series.engine);
  return series.label.starts_with(common) ? series.label.substr(common.size()) : series.label;
}

void add_files(std::vector<ReportFile>& files, const std::string& path, const Rates& rates) {
  std::string text, ideal;
  const auto& [base_devices, base_rate] = *rates.begin();
  for (const auto& [devices, rate] : rates) {
    text += fmt::format("{},{:.2f}\n", devices, rate);
    ideal += fmt::format("{},{:.2f}\n", devices, base_rate * devices / base_devices);
  }
  files.push_back({path + ".csv", text});
  files.push_back({path + ".csv.ideal", ideal});
}

double fastest(const Rates& rates) { return std::ranges::max(rates | std::views::values); }

}  // namespace

// One file for each series. The fastest of a network also has the plain name, which scripts expect.
std::vector<ReportFile> scaling_csv(const ScalingReport& report) {
  std::map<std::string, std::vector<const Series*>> networks;  // by plain name
  for (const Series& series : report.series) {
    networks[fmt::format("csv_{}{}/{}_b{}", as_file_name(series.engine),
                         series.simulated ? "_simulated" : "", as_file_name(series.model),
                         series.batch)]
        .push_back(&series);
  }
  std::vector<ReportFile> files;
  for (const auto& [path, members] : networks) {
    const Series& best = **std::ranges::max_element(
        members, {}, [&](const Series* each) { return fastest(rates_of(report, *each)); });
    add_files(files, path, rates_of(report, best));
    if (members.size() == 1) continue;
    for (const Series* each : members) {
      add_files(files, path + "_" + as_file_name(settings_of(*each)), rates_of(report, *each));
    }
  }
  return files;
}

}  // namespace lockstep
