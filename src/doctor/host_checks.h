// host_checks.h: the table of checks of the doctor, each for one host.
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
  std::string what;         // "2 of 4 cores"; empty: unknown
  std::string advice = {};  // what to do about it
};

struct CheckContext {
  const HostSurvey& all;
  std::string version, program;  // of the doctor itself
  std::string mpi = {};          // mpi_library_version(); empty: built without MPI
  // Advice for an unreachable host; empty: the host is this machine.
  std::string reach_advice = {};
  bool wants_gpus = false;  // every worker needs one

  CheckContext of(const HostSurvey& others) const {
    return {others, version, program, mpi, reach_advice, wants_gpus};
  }
};

struct Check {
  std::string_view name;
  bool cheap;  // needs no measurement
  Finding (*find)(const HostReport& host, const CheckContext& context);
};
std::span<const Check> host_checks();

struct CheckRow {
  std::string check;
  std::vector<std::string> hosts;  // hosts with this finding
  Finding finding;
};

// Hosts with the same finding share a row. An unreachable host has no other rows.
std::vector<CheckRow> rows_for(const CheckContext& context, bool thorough);
// Links between hosts, with findings for links that fail or are much slower than the others.
std::vector<CheckRow> link_rows(const HostSurvey& all);

Level worst_of(std::span<const CheckRow> rows);
std::string table_of(std::span<const CheckRow> rows);
Json rows_to_json(std::span<const CheckRow> rows);

}  // namespace lockstep
