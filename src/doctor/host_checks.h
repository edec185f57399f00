// host_checks.h: what the doctor makes of what hosts say: a table of checks, each for one host.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/host_survey.h"

namespace lockstep {

enum class Level { Ok, Warning, Problem };
std::string_view name_of(Level level);

struct Finding {
  Level level = Level::Ok;
  std::string what;         // "2 of 4 cores"; empty: nothing is known
  std::string advice = {};  // what to do about it
};

struct CheckContext {
  const HostSurvey& all;
  std::string version, program;  // of the doctor itself
  // What the user can try when a host is not reached; empty: it is this machine.
  std::string reach_advice = {};
};

struct Check {
  std::string_view name;
  bool cheap;  // needs nothing measured
  Finding (*find)(const HostReport& host, const CheckContext& context);
};
std::span<const Check> host_checks();

struct CheckRow {
  std::string check;
  std::vector<std::string> hosts;  // of which it is true
  Finding finding;
};

// Hosts of which the same is true share a row. Of a host that was not reached nothing else is said.
std::vector<CheckRow> rows_for(const CheckContext& context, bool thorough);
// The ways between hosts: those that fail, or are much slower than the others.
std::vector<CheckRow> link_rows(const HostSurvey& all);

Level worst_of(std::span<const CheckRow> rows);
std::string table_of(std::span<const CheckRow> rows);
Json rows_to_json(std::span<const CheckRow> rows);

}  // namespace lockstep
