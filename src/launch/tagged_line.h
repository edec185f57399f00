// tagged_line.h: finds the rank of an output line that mpirun or srun passes on.
#pragma once

#include <optional>
#include <string>

namespace lockstep {

enum class LineTag {
  None,     // each process is a command of its own
  OpenMpi,  // mpirun --tag-output:  [1,0]<stdout>:text
  Mpich,    // mpirun -prepend-rank: [0] text
  Slurm,    // srun --label:         0: text
};

struct TaggedLine {
  int rank = 0;
  std::string text;
  bool from_stderr = false;

  bool operator==(const TaggedLine&) const = default;
};

// Absent: a line of the starting program itself.
std::optional<TaggedLine> tagged_line(LineTag tag, const std::string& line, bool from_stderr);

}  // namespace lockstep
