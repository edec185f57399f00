// collective_test.h: sums and bandwidth of all-reduce over every communicator that connects the
// ranks.
#pragma once

#include <functional>
#include <memory>

#include "run/group.h"
#include "selftest/fault.h"
#include "selftest/test_row.h"
#include "tensor/device_buffer.h"

namespace lockstep {

// Collective. The rows are rank 0's; the others get none.
std::vector<TestRow> test_collectives(Group& group, bool with_mpi, const Fault& fault);

// How one rank sees the sum of marked numbers: element i is i % 1000 + 1 from rank i % size and 0
// from all others, so a wrong element names the rank that it came from. Returns, by rank, how many
// of its elements are wrong in `sum`.
std::vector<int64_t> wrong_by_sender(std::span<const float> sum, int size);
void fill_marked(std::span<float> data, int rank, int size);

// The same out of the memory of GPUs: a row on rank 0. `make_buffer`: for so many floats.
using MakeBuffer = std::function<std::unique_ptr<DeviceBuffer>(int64_t floats)>;
TestRow test_nccl(Group& group, const MakeBuffer& make_buffer, const Fault& fault);

}  // namespace lockstep
