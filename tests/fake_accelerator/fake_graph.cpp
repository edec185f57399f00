// fake_graph.cpp: graphs of the fake behind LibTorch's interface for graphs, as strict as CUDA's:
// nothing is captured on the default stream, the host cannot wait for a stream that is captured,
// and memory that is allocated meanwhile belongs to the graph.
#include "fake_accelerator/fake_graph.h"

#if __has_include(<ATen/core/GraphImplInterface.h>)
#include <ATen/core/GraphImplInterface.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include "fake_accelerator/fake_capture.h"
#include "fake_accelerator/fake_memory.h"
#include "fake_accelerator/fake_stream.h"

namespace lockstep::fake {
namespace {

class FakeGraph : public at::GraphImplInterface {
 public:
  explicit FakeGraph(const at::GraphImplArgs&) {}
  ~FakeGraph() override { reset(); }

  void capture_begin(at::MempoolId_t, at::GraphCaptureMode) override {
    FakeStream& stream = current_stream(current_device());
    if (stream.id() == 0)
      throw std::runtime_error("fake accelerator: the default stream is captured");
    capture_ = std::make_shared<FakeCapture>(stream);
    stream.set_capture(capture_);
  }

  void capture_end() override {
    for (FakeStream* stream : capture_->end()) stream->set_capture(nullptr);
    if (!capture_->joined()) {
      throw std::runtime_error("fake accelerator: the graph does not wait for one of its streams");
    }
  }

  void instantiate() override {}

  void replay() override {
    static std::atomic<uint64_t> replays = 0;
    ++capture_->launches;
    current_stream(current_device()).queue_kernel([capture = capture_, order = ++replays] {
      capture->run(order);
      --capture->launches;
    });
  }

  void reset() override {
    if (!capture_) return;
    if (capture_->launches > 0) fail_now("fake accelerator: a graph was destroyed while it ran");
    free_pool(capture_.get());
    capture_.reset();
  }

  at::MempoolId_t pool() const override { return {0, 0}; }
  void enable_debug_mode() override {}
  void debug_dump(const std::string&) override {}

 private:
  std::shared_ptr<FakeCapture> capture_;  // shared with launches that are queued
};

}  // namespace

void register_graphs() {
  at::GraphImplRegistry()->Register(
      c10::DeviceTypeName(c10::DeviceType::PrivateUse1, /*lower_case=*/false),
      [](const at::GraphImplArgs& arguments) -> std::unique_ptr<at::GraphImplInterface> {
        return std::make_unique<FakeGraph>(arguments);
      });
}

}  // namespace lockstep::fake
#else

namespace lockstep::fake {
void register_graphs() {}  // this LibTorch has none
}  // namespace lockstep::fake

#endif
