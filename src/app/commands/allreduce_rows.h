// allreduce_rows.h: what `lockstep allreduce` found, as lines of a table and as JSON.
//
// Bandwidths are of the median time. algbw = bytes / time, busbw = algbw * 2 (n - 1) / n, in
// 10^9 bytes per second, as nccl-tests defines them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/all_reduce_tuning.h"

namespace lockstep {

struct AllReduceRow {
  std::string what;       // "bucket 3", "all"; empty: just a size
  std::string contender;  // back-end, or algorithm
  int ranks = 1;
  int64_t bytes = 0;
  int64_t messages = 1;
  std::vector<double> seconds;   // of every iteration
  std::optional<int64_t> wrong;  // absent: not checked
};

double median_seconds(const AllReduceRow& row);
double quick_seconds(const AllReduceRow& row);  // the first quartile: others disturb it least

std::string all_reduce_header();
std::string all_reduce_line(const AllReduceRow& row);
// The mean of each contender's rows, and how many numbers were wrong.
std::string all_reduce_footer(const std::vector<AllReduceRow>& rows);
int64_t wrong_numbers(const std::vector<AllReduceRow>& rows);

// Of --tune: the fastest algorithm of each size and its lead over the second, as a table.
std::string winners_table(const std::vector<SizeWinner>& winners);
nlohmann::json winners_json(const std::vector<SizeWinner>& winners);

nlohmann::json all_reduce_json(const AllReduceRow& row);

}  // namespace lockstep
