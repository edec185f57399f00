// adoption.h: kills the processes that an external program leaves behind.
//
// A process in a session of its own is not in the process group that we end. While an Adoption
// exists, such orphans become children of this process. Its destructor kills them.
#pragma once

namespace lockstep {

class Adoption {
 public:
  Adoption();
  ~Adoption();  // kills every child of this process; reap its own before
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
};

}  // namespace lockstep
