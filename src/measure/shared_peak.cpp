#include "measure/shared_peak.h"

#include <algorithm>
#include <map>

namespace lockstep {

double shared_peak(std::span<const WorkerPeak> workers) {
  std::map<std::string, int> wanted;
  for (const WorkerPeak& worker : workers) wanted[worker.host] += worker.cores;
  double sum = 0;
  for (const WorkerPeak& worker : workers) {
    const double part = static_cast<double>(worker.host_cores) / wanted[worker.host];
    sum += worker.gflops * std::min(part, 1.0);
  }
  return sum;
}

}  // namespace lockstep
