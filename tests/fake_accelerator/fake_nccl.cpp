// fake_nccl.cpp: NCCL on streams of the fake accelerator: libnccl.so.2 for tests.
//
// Ranks are threads or processes of one host. They meet in shared memory, whose name is the unique
// id. As in NCCL, a collective waits for its peers without end, unless it is aborted; a peer that
// died, or that was aborted, becomes an asynchronous error of the others.
//
// FAKE_NCCL_FAULT=RANK:COLLECTIVE:KIND lets that rank fail in the collective of that number, from 0
// on. KIND is die (the process is killed), hang (its kernel does not answer), block (the call does
// not return), refuse (the call returns an error) or error (that comes later). With block_init,
// block_ask and block_abort, whatever the number, another call of that rank does not return.
// FAKE_NCCL_TRACE=FILE: rank 0 writes there what the environment says of NCCL.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "fake_accelerator/fake_queue.h"

namespace {

using lockstep::fake::FakeQueue;

constexpr int kSuccess = 0, kSystemError = 2, kInternalError = 3, kRemoteError = 6;
constexpr int kMostRanks = 16;
constexpr size_t kChunk = size_t{1} << 16;  // floats

struct Shared {
  std::atomic<int> joined;
  std::atomic<int64_t> arrived[kMostRanks];
  std::atomic<bool> aborted[kMostRanks];
  pid_t process[kMostRanks];
  float data[kMostRanks][kChunk];
};

struct UniqueId {
  char bytes[128];
};

struct Fault {
  int rank = -1, collective = -1;
  std::string kind;
};

Fault fault_wanted() {
  const char* const text = std::getenv("FAKE_NCCL_FAULT");
  Fault fault;
  char kind[16] = {};
  if (text && std::sscanf(text, "%d:%d:%15s", &fault.rank, &fault.collective, kind) == 3) {
    fault.kind = kind;
  }
  return fault;
}

void trace_environment() {
  const char* const file = std::getenv("FAKE_NCCL_TRACE");
  if (!file) return;
  const auto value = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(name) + "=" + (text ? text : "");
  };
  std::ofstream(file) << value("NCCL_SOCKET_IFNAME") << " " << value("NCCL_RUNTIME_CONNECT")
                      << "\n";
}

[[noreturn]] void block() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace

struct OpaqueComm {
  Shared* shared;
  int rank, ranks;
  Fault fault = fault_wanted();
  int collectives = 0, calls = 0;
  int64_t arrivals = 0;
  std::atomic<int> error = kSuccess;

  bool aborted() const { return shared->aborted[rank]; }

  // False: this rank is aborted.
  bool meet() {
    shared->arrived[rank] = ++arrivals;
    for (int other = 0; other < ranks; ++other) {
      while (shared->arrived[other] < arrivals) {
        if (aborted()) return false;
        const bool lost = shared->aborted[other] || kill(shared->process[other], 0) != 0;
        if (lost) error = kRemoteError;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
    return !aborted();
  }

  bool fails_now() {
    if (fault.rank != rank || fault.collective != collectives++) return false;
    if (fault.kind.starts_with("block") || fault.kind == "refuse") return false;
    if (fault.kind == "die") kill(getpid(), SIGKILL);
    if (fault.kind == "error") error = kInternalError;
    while (!aborted()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    return true;
  }

  void block_if_wanted(const char* kind) const {
    if (fault.rank == rank && fault.kind == kind) block();
  }
  // Of a collective.
  int begin_call() {
    if (fault.rank != rank || fault.collective != calls++) return kSuccess;
    block_if_wanted("block");
    return fault.kind == "refuse" ? kInternalError : kSuccess;
  }

  // Chunk by chunk: everyone shows its own, then each takes what it needs.
  template <typename Take>
  void exchange(float* data, size_t count, const Take& take) {
    if (fails_now()) return;
    for (size_t begin = 0; begin < count; begin += kChunk) {
      const size_t floats = std::min(kChunk, count - begin);
      std::copy_n(data + begin, floats, shared->data[rank]);
      if (!meet()) return;
      take(data + begin, floats);
      if (!meet()) return;
    }
  }
};

extern "C" {

int ncclGetVersion(int* version) {
  *version = 22800;
  return kSuccess;
}

int ncclGetUniqueId(UniqueId* id) {
  static std::atomic<int> made = 0;
  std::snprintf(id->bytes, sizeof(id->bytes), "/fake_nccl_%d_%d", getpid(), made++);
  const int file = shm_open(id->bytes, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0) return kSystemError;
  const bool sized = ftruncate(file, sizeof(Shared)) == 0;
  close(file);
  return sized ? kSuccess : kSystemError;
}

int ncclCommInitRank(OpaqueComm** comm, int ranks, UniqueId id, int rank) {
  if (const Fault fault = fault_wanted(); fault.rank == rank && fault.kind == "block_init") block();
  const int file = shm_open(id.bytes, O_RDWR, 0600);
  if (file < 0 || ranks > kMostRanks) return kSystemError;
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return kSystemError;
  auto* const shared = static_cast<Shared*>(memory);
  shared->process[rank] = getpid();
  ++shared->joined;
  while (shared->joined < ranks) std::this_thread::sleep_for(std::chrono::microseconds(100));
  if (rank == 0) {
    trace_environment();
    shm_unlink(id.bytes);
  }
  *comm = new OpaqueComm{shared, rank, ranks};  // never deleted: a kernel may still use it
  return kSuccess;
}

int ncclCommAbort(OpaqueComm* comm) {
  comm->block_if_wanted("block_abort");
  comm->shared->aborted[comm->rank] = true;
  return kSuccess;
}

int ncclCommGetAsyncError(OpaqueComm* comm, int* error) {
  comm->block_if_wanted("block_ask");
  *error = comm->error;
  return kSuccess;
}

int ncclAllReduce(const void* send, void* receive, size_t count, int, int, OpaqueComm* comm,
                  void* stream) {
  if (send != receive) return kInternalError;  // lockstep reduces in place
  if (const int error = comm->begin_call()) return error;
  auto* const queue = static_cast<FakeQueue*>(stream);
  auto* const data = static_cast<float*>(queue->memory_of(receive));
  queue->queue_kernel([comm, data, count] {
    comm->exchange(data, count, [&](float* out, size_t floats) {
      for (size_t i = 0; i < floats; ++i) {
        float sum = 0;
        for (int rank = 0; rank < comm->ranks; ++rank) sum += comm->shared->data[rank][i];
        out[i] = sum;
      }
    });
  });
  return kSuccess;
}

int ncclBroadcast(const void* send, void* receive, size_t count, int, int root, OpaqueComm* comm,
                  void* stream) {
  if (send != receive) return kInternalError;
  if (const int error = comm->begin_call()) return error;
  auto* const queue = static_cast<FakeQueue*>(stream);
  auto* const data = static_cast<float*>(queue->memory_of(receive));
  queue->queue_kernel([comm, data, count, root] {
    comm->exchange(data, count, [&](float* out, size_t floats) {
      std::copy_n(comm->shared->data[root], floats, out);
    });
  });
  return kSuccess;
}

const char* ncclGetErrorString(int result) {
  switch (result) {
    case kSuccess:
      return "no error";
    case kRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "internal error";
  }
}

}  // extern "C"
