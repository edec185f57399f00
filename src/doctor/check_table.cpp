// check_table.cpp: findings about links, and the table of all findings.
#include <fmt/ranges.h>

#include <algorithm>

#include "config/json.h"
#include "doctor/host_checks.h"

namespace lockstep {
namespace {

constexpr size_t kHostsShown = 3;

std::string way(const HostSurvey& all, const LinkReport& link) {
  return fmt::format("{} to {}", all.hosts[link.from].name, all.hosts[link.to].name);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string hosts_text(const std::vector<std::string>& hosts) {
  const size_t shown = std::min(hosts.size(), kHostsShown);
  const std::vector<std::string> first(hosts.begin(), hosts.begin() + static_cast<long>(shown));
  const size_t more = hosts.size() - shown;
  return fmt::format("{}{}", fmt::join(first, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::vector<double> all_values(const HostSurvey& all, const char* name) {
  std::vector<double> values;
  for (const LinkReport& link : all.links) {
    const auto found = link.answer.find(name);
    if (found != link.answer.end() && found->is_number()) values.push_back(*found);
  }
  return values;
}

Finding judgement(const LinkReport& link, double usual_speed, double usual_latency) {
  if (link.answer.contains("error")) {
    return {Level::Problem, link.answer.at("error"),
            "workers need all ports between hosts: check firewalls and security groups"};
  }
  const double speed = link.answer.at("bytes_per_second");
  const double latency = link.answer.at("latency_seconds");
  const std::string what = fmt::format("{:.2f} Gbit/s, {:.0f} us one way, over {}", speed * 8e-9,
                                       latency * 1e6, link.answer.value("interface", ""));
  if (speed < 0.5 * usual_speed) {
    return {
        Level::Warning, what,
        fmt::format("the other links have {:.2f} Gbit/s: check cables, switches and --interface",
                    usual_speed * 8e-9)};
  }
  if (latency > 5 * usual_latency) {
    return {Level::Warning, what,
            fmt::format("the other links have {:.0f} us: check the route", usual_latency * 1e6)};
  }
  return {Level::Ok, what};
}

Finding judge(const LinkReport& link, double usual_speed, double usual_latency) {
  try {
    return judgement(link, usual_speed, usual_latency);
  } catch (const Json::exception&) {
    return {Level::Problem, kUnreadable, "install the same version of lockstep on both hosts"};
  }
}

}  // namespace

std::vector<CheckRow> link_rows(const HostSurvey& all) {
  const double speed = median(all_values(all, "bytes_per_second"));
  const double latency = median(all_values(all, "latency_seconds"));
  std::vector<CheckRow> rows;
  for (const LinkReport& link : all.links) {
    rows.push_back({"link", {way(all, link)}, judge(link, speed, latency)});
  }
  return rows;
}

Level worst_of(std::span<const CheckRow> rows) {
  Level worst = Level::Ok;
  for (const CheckRow& row : rows) worst = std::max(worst, row.finding.level);
  return worst;
}

std::string table_of(std::span<const CheckRow> rows) {
  size_t checks = 0, hosts = 0;
  for (const CheckRow& row : rows) {
    checks = std::max(checks, row.check.size());
    hosts = std::max(hosts, hosts_text(row.hosts).size());
  }
  std::string text;
  for (const CheckRow& row : rows) {
    text += fmt::format("{:<7}  {:<{}}  {:<{}}  {}\n", name_of(row.finding.level), row.check,
                        checks, hosts_text(row.hosts), hosts, row.finding.what);
    if (row.finding.level != Level::Ok && !row.finding.advice.empty()) {
      text += fmt::format("         {:<{}}  -> {}\n", "", checks, row.finding.advice);
    }
  }
  return text;
}

Json rows_to_json(std::span<const CheckRow> rows) {
  Json json = Json::array();
  for (const CheckRow& row : rows) {
    json.push_back({{"check", row.check},
                    {"level", name_of(row.finding.level)},
                    {"hosts", row.hosts},
                    {"what", row.finding.what},
                    {"advice", row.finding.advice}});
  }
  return json;
}

}  // namespace lockstep
