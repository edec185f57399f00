// threads.h: the state that every compute thread needs before the first step.
#pragma once

namespace lockstep::native {

// Starts `threads` OpenMP threads of the calling thread. They treat denormal numbers as zero (dead
// ReLUs and decaying momentum are full of them, and each costs a hundred cycles), and are bound to
// one core each when there are as many as the process may use.
void prepare_threads(int threads);

// So many in the parallel regions that follow. No more than a store to memory.
void use_threads(int threads);

}  // namespace lockstep::native
