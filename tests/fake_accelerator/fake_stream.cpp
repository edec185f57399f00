#include "fake_accelerator/fake_stream.h"

#include <c10/util/Exception.h>
#include <omp.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_memory.h"

namespace lockstep::fake {
namespace {

// Never destroyed: streams run until the process ends.
struct State {
  std::mutex mutex;
  std::map<std::pair<int, int64_t>, FakeStream*> streams;
  int64_t last_id = 0;

  std::atomic<int64_t> synchronisations = 0, allocations = 0, kernels = 0;

  std::atomic<bool> delays = true;
  std::atomic<uint64_t> seed = 1;
  std::atomic<std::chrono::milliseconds> copy_time{};

  std::atomic<int64_t> kernels_to_fault = -1;
  std::atomic<bool> faulty = false;
  std::string fault;                 // written before `faulty`
  std::atomic<bool> ending = false;  // kernels that are still queued do nothing
};
State& state() {
  static State* const only = new State;
  return *only;
}

thread_local int this_device = 0;
thread_local std::map<int, int64_t> this_stream;

}  // namespace

FakeStream::FakeStream(int device, int64_t id) : device_(device), id_(id) {
  std::thread([this] { run(); }).detach();
}

void FakeStream::enqueue(Task task) {
  throw_after_fault();
  enqueue_always([task = std::move(task)] {
    if (!state().ending) task();
  });
}

void FakeStream::enqueue_always(Task task) {
  const std::shared_ptr<FakeCapture> captured = capture();
  if (captured) return captured->add(*this, std::move(task));
  enqueue_beside_capture(std::move(task));
}

void FakeStream::enqueue_beside_capture(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

std::shared_ptr<FakeCapture> FakeStream::capture() {
  const std::lock_guard lock(mutex_);
  return capture_;
}

void FakeStream::set_capture(std::shared_ptr<FakeCapture> capture) {
  const std::lock_guard lock(mutex_);
  capture_ = std::move(capture);
}

void FakeStream::throw_if_captured() const {
  if (!capture_) return;
  throw std::runtime_error("fake accelerator: the host waits for a stream that is captured");
}

bool FakeStream::idle() {
  const std::lock_guard lock(mutex_);
  throw_if_captured();
  return tasks_.empty() && !busy_;
}

void FakeStream::wait_until_idle() {
  std::unique_lock lock(mutex_);
  throw_if_captured();
  changed_.wait(lock, [&] { return tasks_.empty() && !busy_; });
}

void FakeStream::end_soon() {
  constexpr std::chrono::seconds kMost{1};  // one may wait for an event that never comes
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kMost, [&] { return tasks_.empty() && !busy_; });
}

void FakeStream::queue_kernel(Task kernel) {
  count_kernel();
  enqueue(std::move(kernel));
}

void* FakeStream::memory_of(void* device_address) { return kernel_address(device_address); }

void FakeStream::run() {
  omp_set_num_threads(1);
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      task = std::move(tasks_.front());
      tasks_.pop_front();
      busy_ = true;
    }
    random_pause();
    task();
    task = nullptr;
    const std::lock_guard lock(mutex_);
    busy_ = false;
    changed_.notify_all();
  }
}

void random_pause() {
  static thread_local uint64_t seed_in_use = 0;
  static thread_local std::minstd_rand random;
  if (!state().delays) return;
  if (const uint64_t seed = state().seed; seed != seed_in_use) random.seed(seed_in_use = seed);
  constexpr int kOneIn = 8, kMostMicroseconds = 100;
  if (random() % kOneIn != 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(random() % kMostMicroseconds));
}

void pause_of_copy() { std::this_thread::sleep_for(state().copy_time.load()); }

FakeStream& stream_of(int device, int64_t id) {
  const std::lock_guard lock(state().mutex);
  FakeStream*& stream = state().streams[{device, id}];
  if (!stream) stream = new FakeStream(device, id);
  return *stream;
}

FakeStream& new_stream(int device) {
  int64_t id = 0;
  {
    const std::lock_guard lock(state().mutex);
    id = ++state().last_id;
  }
  return stream_of(device, id);
}

FakeStream& current_stream(int device) { return stream_of(device, this_stream[device]); }
int64_t exchange_current_stream(int device, int64_t id) {
  return std::exchange(this_stream[device], id);
}
int current_device() { return this_device; }
void set_current_device(int device) { this_device = device; }

void wait_for_all_streams(int device) {
  std::vector<FakeStream*> streams;
  {
    const std::lock_guard lock(state().mutex);
    for (const auto& [key, stream] : state().streams) {
      if (key.first == device) streams.push_back(stream);
    }
  }
  for (FakeStream* stream : streams) stream->wait_until_idle();
}

void FakeEvent::record(FakeStream& stream) {
  int64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    captured_ = stream.capture();
    if (captured_) {
      nodes_ = captured_->last_of(stream);
      return;
    }
    version = ++recorded_;
  }
  stream.enqueue_always([this, version, self = shared_from_this()] {
    const std::lock_guard lock(mutex_);
    reached_ = version;
    reached_at_ = Clock::now();
    changed_.notify_all();
  });
}

void FakeEvent::block(FakeStream& stream) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<FakeCapture> capturing = stream.capture();
  if (captured_) {
    if (captured_->ended()) throw std::runtime_error("fake accelerator: a wait for a past capture");
    if (!capturing) stream.set_capture(captured_);
    return captured_->wait(stream, nodes_);
  }
  if (capturing) {
    throw std::runtime_error("fake accelerator: a captured stream waits for one that is not");
  }
  stream.enqueue_always(
      [this, version = recorded_, self = shared_from_this()] { wait_for(version); });
}

void FakeEvent::throw_if_captured() const {
  if (captured_) throw std::runtime_error("fake accelerator: an event of a graph never comes");
}

bool FakeEvent::query() {
  const std::lock_guard lock(mutex_);
  throw_if_captured();
  return reached_ >= recorded_;
}

void FakeEvent::wait() {
  int64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    throw_if_captured();
    version = recorded_;
  }
  wait_for(version);
}

void FakeEvent::wait_for(int64_t version) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached_ >= version; });
}

double FakeEvent::milliseconds_until(FakeEvent& later) {
  const std::scoped_lock lock(mutex_, later.mutex_);
  throw_if_captured();
  later.throw_if_captured();
  return std::chrono::duration<double, std::milli>(later.reached_at_ - reached_at_).count();
}

void count_synchronisation() { ++state().synchronisations; }
void count_allocation() { ++state().allocations; }

void count_kernel() {
  throw_after_fault();
  ++state().kernels;
  if (state().kernels_to_fault >= 0 && state().kernels_to_fault-- == 0) fail_now(state().fault);
  throw_after_fault();
}

void throw_after_fault() {
  TORCH_CHECK(!state().faulty, state().fault, "\nIt may be the fault of an earlier call.");
}

// A program that ends after a fault has not waited for its kernels, and they use what LibTorch
// destroys at the end.
void end_streams() {
  state().ending = true;
  const std::lock_guard lock(state().mutex);
  for (const auto& [key, stream] : state().streams) stream->end_soon();
}

void fail_now(const std::string& message) {
  if (state().faulty) return;
  std::atexit(end_streams);
  state().fault = message;
  state().faulty = true;
}

Counters counters() { return {state().synchronisations, state().allocations, state().kernels}; }

void set_delays(uint64_t seed) {
  state().seed = seed;
  state().delays = true;
}
void no_delays() { state().delays = false; }
void slow_copies(std::chrono::milliseconds least) { state().copy_time = least; }

void fail_after(int64_t kernels, const std::string& message) {
  state().fault = message;
  state().kernels_to_fault = kernels;
}

void recover() {
  state().kernels_to_fault = -1;
  state().faulty = false;
}

}  // namespace lockstep::fake
