// fake_stream.h: the streams and events of the fake accelerator.
//
// A stream is a thread with a queue. Before some tasks it waits for a random time, so that streams
// without an event between them run in another order sooner or later. An event has a version for
// each time that it was recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "fake_accelerator/fake_capture.h"
#include "fake_accelerator/fake_queue.h"

namespace lockstep::fake {

using Task = std::function<void()>;

class FakeStream : public FakeQueue {
 public:
  FakeStream(int device, int64_t id);  // lives until the process ends
  FakeStream(const FakeStream&) = delete;

  int device() const { return device_; }
  int64_t id() const { return id_; }
  void enqueue(Task task);  // throws after a fault
  void enqueue_always(Task task);
  void enqueue_beside_capture(Task task);  // runs even while the stream is captured
  // These two throw while the stream is captured.
  bool idle();
  void wait_until_idle();  // not counted
  void end_soon();         // waits, but not without end

  std::shared_ptr<FakeCapture> capture();  // null: what is queued runs
  void set_capture(std::shared_ptr<FakeCapture> capture);

  void queue_kernel(Task kernel) override;
  void* memory_of(void* device_address) override;

 private:
  void run();
  void throw_if_captured() const;

  int device_;
  int64_t id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool busy_ = false;
  std::shared_ptr<FakeCapture> capture_;  // shared with the other streams of the graph
};

FakeStream& stream_of(int device, int64_t id);  // 0: the default stream of the device
FakeStream& new_stream(int device);
FakeStream& current_stream(int device);  // of the calling thread
int64_t exchange_current_stream(int device, int64_t id);
int current_device();
void set_current_device(int device);
void wait_for_all_streams(int device);

// Shared with the tasks that it is part of.
class FakeEvent : public std::enable_shared_from_this<FakeEvent> {
 public:
  using Clock = std::chrono::steady_clock;

  void record(FakeStream& stream);
  void block(FakeStream& stream);  // what is queued next there waits for what was recorded last
  // These throw when it was recorded in a capture, as it then never comes.
  bool query();
  void wait();  // not counted
  double milliseconds_until(FakeEvent& later);

 private:
  void wait_for(int64_t version);
  void throw_if_captured() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t recorded_ = 0, reached_ = 0;
  Clock::time_point reached_at_;
  std::shared_ptr<FakeCapture> captured_;  // recorded in that one, after `nodes_`
  FakeCapture::Nodes nodes_;
};

void count_synchronisation();
void count_allocation();
void count_kernel();  // may be the one that fails
void throw_after_fault();
void fail_now(const std::string& message);
// A part of a task that takes a random time, too.
void random_pause();
void pause_of_copy();

}  // namespace lockstep::fake
