// adoption.h: ends the processes that somebody else's program leaves behind.
//
// A program that makes a session of its own for a process takes it out of the group that we end.
// While an Adoption lives, such orphans become children of this process; its end kills them.
#pragma once

namespace lockstep {

class Adoption {
 public:
  Adoption();
  ~Adoption();  // ends every child of this process: its own must have been reaped
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
};

}  // namespace lockstep
