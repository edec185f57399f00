// parallel_for.h: a parallel for loop with temporary threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep {

// Calls work(i) for each i below `count`, in any order. The first exception stops the rest and is
// thrown here.
template <typename Work>
void for_each_in_parallel(int64_t count, int threads, const Work& work) {
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (int64_t i = next++; i < count; i = next++) work(i);
    } catch (...) {  // a thread's top
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    const int64_t useful = std::min<int64_t>(std::max(threads, 1), count);
    for (int64_t i = 1; i < useful; ++i) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lockstep
