// The declarations of comm/nccl/nccl_table.h against the header of the installed NCCL: the compiler
// compares them. Built only where there is one.
#include <gtest/gtest.h>
#include <nccl.h>

#include <type_traits>

#include "comm/nccl/nccl_table.h"

namespace lockstep::nccl {
namespace {

// Pointers and enums of the header, as the table passes them.
template <typename Type>
struct Passed {
  using type = Type;
};
template <>
struct Passed<ncclComm_t> {
  using type = Comm;
};
template <>
struct Passed<ncclComm_t*> {
  using type = Comm*;
};
template <>
struct Passed<ncclUniqueId> {
  using type = UniqueId;
};
template <>
struct Passed<ncclUniqueId*> {
  using type = UniqueId*;
};
template <>
struct Passed<ncclResult_t*> {
  using type = int*;
};
template <>
struct Passed<ncclResult_t> {
  using type = int;
};
template <>
struct Passed<ncclDataType_t> {
  using type = int;
};
template <>
struct Passed<ncclRedOp_t> {
  using type = int;
};
template <>
struct Passed<cudaStream_t> {
  using type = void*;
};

template <typename Result, typename... Arguments>
typename Passed<Result>::type (*passed(Result (*)(Arguments...)))(
    typename Passed<Arguments>::type...) {
  return nullptr;
}

template <typename Own, typename Theirs>
constexpr bool kSame = std::is_same_v<Own, decltype(passed(std::declval<Theirs>()))>;

static_assert(kSame<decltype(Table::get_version), decltype(&ncclGetVersion)>);
static_assert(kSame<decltype(Table::get_unique_id), decltype(&ncclGetUniqueId)>);
static_assert(kSame<decltype(Table::comm_init_rank), decltype(&ncclCommInitRank)>);
static_assert(kSame<decltype(Table::comm_abort), decltype(&ncclCommAbort)>);
static_assert(kSame<decltype(Table::comm_get_async_error), decltype(&ncclCommGetAsyncError)>);
static_assert(kSame<decltype(Table::all_reduce), decltype(&ncclAllReduce)>);
static_assert(kSame<decltype(Table::broadcast), decltype(&ncclBroadcast)>);
static_assert(kSame<decltype(Table::get_error_string), decltype(&ncclGetErrorString)>);

TEST(NcclHeader, HasTheNumbersOfTheTable) {
  EXPECT_EQ(sizeof(ncclUniqueId), sizeof(UniqueId));
  EXPECT_EQ(alignof(ncclUniqueId), alignof(UniqueId));
  EXPECT_EQ(sizeof(ncclResult_t), sizeof(int));
  EXPECT_EQ(sizeof(ncclDataType_t), sizeof(int));
  EXPECT_EQ(sizeof(ncclRedOp_t), sizeof(int));
  EXPECT_EQ(int{ncclSuccess}, kSuccess);
  EXPECT_EQ(int{ncclInProgress}, kInProgress);
  EXPECT_EQ(int{ncclFloat32}, kFloat32);
  EXPECT_EQ(int{ncclSum}, kSum);
}

}  // namespace
}  // namespace lockstep::nccl
