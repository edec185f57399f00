#include "engine/native/threads.h"

#include <hwloc.h>
#include <omp.h>

#include <optional>

#if defined(__x86_64__)
#include <pmmintrin.h>
#endif

namespace lockstep::native {
namespace {

void flush_denormals() {
#if defined(__x86_64__)
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
}

// The process's cores, and the way to bind a thread to one of them.
class Cores {
 public:
  Cores() : allowed_(hwloc_bitmap_alloc()) {
    if (hwloc_topology_init(&topology_) != 0) return;
    if (hwloc_topology_load(topology_) != 0) return;
    loaded_ = hwloc_get_cpubind(topology_, allowed_, HWLOC_CPUBIND_PROCESS) == 0;
  }
  ~Cores() {
    hwloc_bitmap_free(allowed_);
    if (topology_) hwloc_topology_destroy(topology_);
  }
  Cores(const Cores&) = delete;

  int count() const { return loaded_ ? hwloc_bitmap_weight(allowed_) : 0; }
  void bind_this_thread(int index) const {
    int cpu = hwloc_bitmap_first(allowed_);
    for (int i = 0; i < index; ++i) cpu = hwloc_bitmap_next(allowed_, cpu);
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    hwloc_bitmap_only(one, static_cast<unsigned>(cpu));
    hwloc_set_cpubind(topology_, one,
                      HWLOC_CPUBIND_THREAD);  // best effort: a container may forbid it
    hwloc_bitmap_free(one);
  }

 private:
  hwloc_topology_t topology_ = nullptr;
  hwloc_bitmap_t allowed_;
  bool loaded_ = false;
};

}  // namespace

void prepare_threads(int threads) {
  use_threads(threads);
  std::optional<Cores> cores;  // of one thread nothing is bound: reading them takes milliseconds
  if (threads > 1) cores.emplace();
  const bool bind = cores && cores->count() == threads;
#pragma omp parallel
  {
    flush_denormals();
    if (bind) cores->bind_this_thread(omp_get_thread_num());
  }
}

void use_threads(int threads) { omp_set_num_threads(threads); }

}  // namespace lockstep::native
