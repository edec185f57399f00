// seed_line.h: the command lines of the benchmarks that lockstep follows, each with the lockstep
// line for the same job. A family is a table: one file per benchmark and place.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

struct SeedLine {
  const char* name;   // of its test
  const char* typed;  // as its users type it
  // The same job here, in a shell: few steps, small batches, few devices. $FEW says so; $DISK is a
  // directory that every host has for itself; `nodes` lists two hosts, as tfperftest writes it.
  const char* run;
  std::vector<const char*> appears;     // regular expressions, each on the screen
  std::vector<const char*> files = {};  // that are there afterwards
};

inline std::ostream& operator<<(std::ostream& out, const SeedLine& line) {
  return out << line.typed;
}

std::span<const SeedLine> lines_on_hosts();    // ssh and mpirun
std::span<const SeedLine> lines_on_slurm();    // two nodes
std::span<const SeedLine> lines_on_machine();  // this one

// What runs a line: sh with `lockstep` on its PATH.
std::vector<std::string> shell_for(const SeedLine& line, const std::string& directory,
                                   const std::string& disk);

}  // namespace lockstep
