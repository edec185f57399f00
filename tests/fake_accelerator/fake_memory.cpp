#include "fake_accelerator/fake_memory.h"

#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/error.h"
#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_stream.h"

namespace lockstep::fake {
namespace {

constexpr size_t kHeapBytes = size_t{64} << 30;  // of addresses; memory is taken when touched
constexpr size_t kSmallest = 512;
constexpr int kNan = 0xff;  // in every byte: NaN of any width, and no index that exists

struct Block {
  FakeStream* stream;
  size_t bytes;
  const FakeCapture* pool = nullptr;  // the graph that it belongs to
  std::set<FakeStream*> others = {};
};

// Waits in `stream` for what the others have queued so far.
void wait_for_others(FakeStream& stream, const std::set<FakeStream*>& others) {
  for (FakeStream* other : others) {
    if (other == &stream) continue;
    const auto event = std::make_shared<FakeEvent>();
    event->record(*other);
    event->block(stream);
  }
}

class Heap {
 public:
  Heap() {
    const int file = memfd_create("fake accelerator", 0);
    if (file < 0 || ftruncate(file, kHeapBytes) != 0) throw Error("fake accelerator: no memory");
    const auto map = [&](int protection) {
      void* const address =
          mmap(nullptr, kHeapBytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
      if (address == MAP_FAILED) throw Error("fake accelerator: no address space");
      return static_cast<char*>(address);
    };
    device_ = map(PROT_NONE);
    kernel_ = map(PROT_READ | PROT_WRITE);
    close(file);
  }

  bool contains(const void* address) const {
    return address >= device_ && address < device_ + kHeapBytes;
  }
  void* kernel_address(const void* address) const {
    return kernel_ + (static_cast<const char*>(address) - device_);
  }

  void* allocate(size_t wanted, FakeStream& stream) {
    const size_t bytes = std::bit_ceil(std::max(wanted, kSmallest));
    const std::lock_guard lock(mutex_);
    if (limit_ > 0 && in_use_ + bytes > limit_) {
      TORCH_CHECK_WITH(OutOfMemoryError, false, "fake accelerator out of memory: ", wanted,
                       " bytes wanted, ", in_use_, " of ", limit_, " in use");
    }
    in_use_ += bytes;
    const FakeCapture* const pool = stream.capture().get();
    std::vector<char*>& free = free_[{&stream, bytes, pool}];
    char* address = nullptr;
    if (free.empty()) {
      if (end_ + bytes > kHeapBytes) throw Error("fake accelerator: the heap is full");
      address = device_ + end_;
      end_ += bytes;
      count_allocation();
      std::memset(kernel_address(address), kNan, bytes);
    } else {
      address = free.back();
      free.pop_back();
    }
    blocks_[address] = {&stream, bytes, pool};
    return address;
  }

  void free(void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<char*>(address));
    const Block block = found->second;
    blocks_.erase(found);
    wait_for_others(*block.stream, block.others);
    void* const memory = kernel_address(address);
    const auto poison = [memory, bytes = block.bytes] { std::memset(memory, kNan, bytes); };
    const bool part_of_graph = block.pool && block.stream->capture().get() == block.pool;
    if (part_of_graph) {
      block.stream->enqueue_always(poison);
    } else {
      block.stream->enqueue_beside_capture(poison);
    }
    in_use_ -= block.bytes;
    free_[{block.stream, block.bytes, block.pool}].push_back(static_cast<char*>(address));
  }

  void free_pool(const FakeCapture* pool) {
    const std::lock_guard lock(mutex_);
    for (auto& [address, block] : blocks_) {
      if (block.pool == pool) block.pool = nullptr;
    }
    for (auto list = free_.begin(); list != free_.end();) {
      const auto [stream, bytes, owner] = list->first;
      if (owner == pool && pool) {
        std::vector<char*>& common = free_[{stream, bytes, nullptr}];
        common.insert(common.end(), list->second.begin(), list->second.end());
        list = free_.erase(list);
      } else {
        ++list;
      }
    }
  }

  void also_used_by(void* address, FakeStream& stream) {
    const std::lock_guard lock(mutex_);
    blocks_.at(static_cast<char*>(address)).others.insert(&stream);
  }

  void set_limit(size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
  }
  size_t in_use() {
    const std::lock_guard lock(mutex_);
    return in_use_;
  }

 private:
  std::mutex mutex_;
  char *device_, *kernel_;
  size_t end_ = 0, in_use_ = 0, limit_ = 0;
  std::map<char*, Block> blocks_;
  std::map<std::tuple<FakeStream*, size_t, const FakeCapture*>, std::vector<char*>> free_;
};
Heap& heap() {
  static Heap* const only = new Heap;
  return *only;
}

struct Pinned {
  std::mutex mutex;
  struct Part {
    size_t bytes;
    std::set<FakeStream*> users = {};
  };
  std::map<const char*, Part> parts;
  std::map<size_t, std::vector<char*>> free;  // by size; filled by streams

  std::map<const char*, Part>::iterator find(const void* address) {
    auto after = parts.upper_bound(static_cast<const char*>(address));
    if (after == parts.begin()) return parts.end();
    const auto part = std::prev(after);
    return static_cast<const char*>(address) < part->first + part->second.bytes ? part
                                                                                : parts.end();
  }
};
Pinned& pinned() {
  static Pinned* const only = new Pinned;
  return *only;
}

}  // namespace

void* allocate_device(size_t bytes, FakeStream& stream) { return heap().allocate(bytes, stream); }
void free_device(void* address) { heap().free(address); }
void free_pool(const FakeCapture* graph) { heap().free_pool(graph); }
void also_used_by(void* address, FakeStream& stream) { heap().also_used_by(address, stream); }
bool is_device_address(const void* address) { return heap().contains(address); }
void* kernel_address(const void* address) { return heap().kernel_address(address); }
void limit_memory(int64_t bytes) { heap().set_limit(static_cast<size_t>(bytes)); }
int64_t memory_in_use() { return static_cast<int64_t>(heap().in_use()); }

void* allocate_pinned(size_t wanted) {
  const size_t bytes = std::bit_ceil(std::max(wanted, kSmallest));
  const std::lock_guard lock(pinned().mutex);
  std::vector<char*>& free = pinned().free[bytes];
  char* address = nullptr;
  if (free.empty()) {
    address = static_cast<char*>(std::aligned_alloc(kSmallest, bytes));
    count_allocation();
  } else {
    address = free.back();
    free.pop_back();
  }
  std::memset(address, kNan, bytes);
  pinned().parts[address] = {bytes};
  return address;
}

void free_pinned(void* address) {
  Pinned::Part part;
  {
    const std::lock_guard lock(pinned().mutex);
    const auto found = pinned().find(address);
    part = found->second;
    pinned().parts.erase(found);
  }
  const auto release = [memory = static_cast<char*>(address), bytes = part.bytes] {
    std::memset(memory, kNan, bytes);
    const std::lock_guard lock(pinned().mutex);
    pinned().free[bytes].push_back(memory);
  };
  if (part.users.empty()) return release();
  FakeStream& last = **part.users.begin();
  wait_for_others(last, part.users);
  last.enqueue_always(release);
}

bool is_pinned(const void* address) {
  const std::lock_guard lock(pinned().mutex);
  return pinned().find(address) != pinned().parts.end();
}

void pinned_used_by(const void* address, FakeStream& stream) {
  const std::lock_guard lock(pinned().mutex);
  pinned().find(address)->second.users.insert(&stream);
}

}  // namespace lockstep::fake
