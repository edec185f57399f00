#include "measure/shared_peak.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

TEST(SharedPeak, WorkersWithCoresOfTheirOwnAddUp) {
  const std::vector<WorkerPeak> two(2, {.host = "a", .gflops = 50, .cores = 1, .host_cores = 2});
  EXPECT_DOUBLE_EQ(shared_peak(two), 100);
}

TEST(SharedPeak, AWorkerAloneReachesWhatItMeasured) {
  const std::vector<WorkerPeak> one = {{.host = "a", .gflops = 50, .cores = 1, .host_cores = 8}};
  EXPECT_DOUBLE_EQ(shared_peak(one), 50);
}

TEST(SharedPeak, ACoreThatTwoWorkersShareCountsOnce) {
  const std::vector<WorkerPeak> four(4, {.host = "a", .gflops = 50, .cores = 1, .host_cores = 2});
  EXPECT_DOUBLE_EQ(shared_peak(four), 100);
  const std::vector<WorkerPeak> wide(4, {.host = "a", .gflops = 100, .cores = 2, .host_cores = 2});
  EXPECT_DOUBLE_EQ(shared_peak(wide), 100);
}

TEST(SharedPeak, UnevenPartsOfAHostAreNotOversubscribed) {
  const std::vector<WorkerPeak> parts = {{.host = "a", .gflops = 100, .cores = 2, .host_cores = 3},
                                         {.host = "a", .gflops = 50, .cores = 1, .host_cores = 3}};
  EXPECT_DOUBLE_EQ(shared_peak(parts), 150);
}

TEST(SharedPeak, EveryHostHasItsOwnCores) {
  std::vector<WorkerPeak> all(4, {.host = "a", .gflops = 50, .cores = 1, .host_cores = 2});
  all.push_back({.host = "b", .gflops = 60, .cores = 1, .host_cores = 2});
  EXPECT_DOUBLE_EQ(shared_peak(all), 160);
}

}  // namespace
}  // namespace lockstep
