#include "comm/gloo.h"

#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/common/error.h>
#include <gloo/common/logging.h>
#include <gloo/config.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log_line.h"
#include "base/network_interface.h"
#include "comm/missing_ranks.h"
#include "comm/pipe_signal.h"
#include "comm/reduce_kernels.h"
#include "comm/store.h"
#include "comm/watchdog.h"

namespace lockstep {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

// A call that takes this long may be waiting for a rank that is gone.
constexpr Seconds kUntilDoubt{4};
constexpr uint8_t kMessageSlot = 0x20;  // beside the prefixes of Gloo's own collectives
// Gloo's time-out is for a whole operation; ours is for nothing moving. So large ones go in pieces.
constexpr int64_t kPieceBytes = 32 << 20;

// Gloo does not authenticate connections: a port of a rank takes whoever connects first. What a
// stranger sends there makes Gloo's own thread throw, where nobody can catch it. This process then
// ends with a line that says what happened, and the others see that its rank is gone.
[[noreturn]] void end_after_foreign_bytes() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const gloo::EnforceNotMet&) {
    log_line(
        "communication failed: a connection between ranks brought what no rank sends; another "
        "program connected to a port of this run, or a link damages data; --interface chooses "
        "another network");
    _exit(EXIT_FAILURE);
  } catch (...) {  // not Gloo's
  }
  std::abort();
}

class GlooStore : public gloo::rendezvous::Store {
 public:
  GlooStore(lockstep::Store& store, std::string prefix, Seconds timeout)
      : store_(store), prefix_(std::move(prefix)), timeout_(timeout) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    store_.set(prefix_ + key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    const std::string value = store_.get(prefix_ + key, timeout_);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override { fetch(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const Milliseconds& timeout) override {
    fetch(keys, timeout);
  }

 private:
  void fetch(std::vector<std::string> keys, Seconds timeout) {
    for (std::string& key : keys) key.insert(0, prefix_);
    store_.get(keys, timeout);
  }

  lockstep::Store& store_;  // borrowed for the time of connecting
  std::string prefix_;
  Seconds timeout_;
};

template <typename Element>
std::span<Element> piece(std::span<Element> data, size_t begin) {
  constexpr size_t kMost = kPieceBytes / sizeof(Element);
  return data.subspan(begin, std::min(kMost, data.size() - begin));
}

void add_floats(void* out, const void* a, const void* b, size_t count) {
  add(static_cast<float*>(out), static_cast<const float*>(a), static_cast<const float*>(b),
      static_cast<int64_t>(count));
}

class GlooCommunicator : public Communicator {
 public:
  GlooCommunicator(Roster roster, const CommOptions& options, Store& store)
      : roster_(std::move(roster)),
        options_(options),
        store_(store),
        watchdog_(kUntilDoubt, [this] { return end_when_a_rank_is_gone(); }) {
    std::set_terminate(end_after_foreign_bytes);
    gloo::transport::tcp::attr attributes;
    attributes.hostname = agreed_address();
    context_ = std::make_shared<gloo::rendezvous::Context>(roster_.rank, roster_.size());
    context_->setTimeout(timeout());
    if (roster_.size() == 1) return;
    guarded("connecting", [&] {
      GlooStore gloo_store(store, options_.name + "/gloo/", options_.stall_timeout);
      std::shared_ptr<gloo::transport::Device> device =
          gloo::transport::tcp::CreateDevice(attributes);
      context_->connectFullMesh(gloo_store, device);
    });
  }

  int rank() const override { return roster_.rank; }
  int size() const override { return roster_.size(); }
  Memory allocate(int64_t bytes) override { return Memory(bytes); }

  void all_reduce(std::span<float> data) override {
    if (size() == 1) return;
    guarded("all-reduce", [&] {
      for (size_t begin = 0; begin < data.size(); begin += kPieceBytes / sizeof(float)) {
        const auto part = piece(data, begin);
        gloo::AllreduceOptions call(context_);
        call.setOutput(part.data(), part.size());
        call.setReduceFunction(add_floats);
        call.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
        gloo::allreduce(call);
      }
    });
  }

  void broadcast(std::span<float> data, int root) override {
    if (size() == 1) return;
    guarded("broadcast", [&] {
      for (size_t begin = 0; begin < data.size(); begin += kPieceBytes / sizeof(float)) {
        const auto part = piece(data, begin);
        gloo::BroadcastOptions call(context_);
        call.setOutput(part.data(), part.size());
        call.setRoot(root);
        gloo::broadcast(call);
      }
    });
  }

  void barrier() override {
    if (size() == 1) return;
    guarded("barrier", [&] {
      gloo::BarrierOptions call(context_);
      gloo::barrier(call);
    });
  }

  void send_bytes(std::span<const std::byte> data, int to, int tag) override {
    exchange_bytes({.out = data, .to = to, .in = {}, .from = to, .tag = tag});
  }
  void recv_bytes(std::span<std::byte> data, int from, int tag) override {
    exchange_bytes({.out = {}, .to = from, .in = data, .from = from, .tag = tag});
  }

  int recv_any_bytes(std::span<std::byte> data, int tag) override {
    std::vector<int> others;
    for (int other = 0; other < size(); ++other) {
      if (other != rank()) others.push_back(other);
    }
    int from = -1;
    guarded("receiving", [&] {
      const Buffer first = buffer(piece(data, 0));
      first->recv(others, slot(tag));
      first->waitRecv(&from, timeout());
      for (size_t begin = first->size; begin < data.size(); begin += kPieceBytes) {
        const Buffer next = buffer(piece(data, begin));
        next->recv(from, slot(tag));
        next->waitRecv(timeout());
      }
    });
    return from;
  }

  void exchange_bytes(const Exchange<std::byte>& e) override {
    guarded("sending and receiving", [&] {
      for (size_t begin = 0; begin < std::max(e.out.size(), e.in.size()); begin += kPieceBytes) {
        Buffer in, out;
        if (begin < e.in.size()) {
          in = buffer(piece(e.in, begin));
          in->recv(e.from, slot(e.tag));
        }
        if (begin < e.out.size()) {
          out = buffer(piece(e.out, begin));
          out->send(e.to, slot(e.tag));
        }
        if (out) out->waitSend(timeout());
        if (in) in->waitRecv(timeout());
      }
    });
  }

 private:
  Milliseconds timeout() const {
    return std::chrono::duration_cast<Milliseconds>(silence_part(options_.stall_timeout));
  }
  static uint64_t slot(int tag) {
    return gloo::Slot::build(kMessageSlot, static_cast<uint32_t>(tag));
  }
  Buffer buffer(std::span<const std::byte> data) {
    return context_->createUnboundBuffer(const_cast<std::byte*>(data.data()), data.size());
  }

  // This rank's address for the others: of the given interface, or on the network path to the store
  // once it is clear that all can reach each other's.
  std::string agreed_address() {
    if (!options_.interface.empty()) return address_of_interface(options_.interface);
    const std::string mine = store_.local_address();
    const std::string prefix = options_.name + "/address/";
    store_.set(prefix + std::to_string(rank()), mine);
    const auto all = store_.get(numbered_keys(prefix, size()), options_.stall_timeout);
    const auto loopback = std::find_if(all.begin(), all.end(), is_loopback);
    const bool only_loopback = std::all_of(all.begin(), all.end(), is_loopback);
    const bool one_host = first_rank_of_each_host(roster_).size() == 1;
    if (loopback == all.end() || (only_loopback && one_host)) return mine;
    throw Error(
        "{} has the address {}, which other hosts cannot reach; use --interface, or map its host "
        "name to its network address in /etc/hosts",
        roster_.who(static_cast<int>(loopback - all.begin())), *loopback);
  }

  // Gloo throws at a pair that a stranger connected to.
  void close_connections() noexcept {
    try {
      context_->closeConnections();
    } catch (const std::exception&) {
    }
  }

  // What Gloo throws tells an address at best. The connections are closed first: that wakes the
  // ranks that wait for this one, and they report to missing_ranks() too.
  template <typename Action>
  void guarded(const char* doing, const Action& action) {
    if (!failure_.empty()) throw Error(failure_);
    const WithoutPipeSignal scope;  // Gloo writes to its sockets with writev
    try {
      const Watchdog::Call call(watchdog_);
      action();
    } catch (const Error&) {  // of the store, while connecting: names what is missing already
      throw;
    } catch (const std::exception&) {
      close_connections();
      failure_ = fmt::format(
          "{} failed: {}", doing,
          missing_ranks(store_, roster_, options_.name, answer_part(options_.stall_timeout)));
      throw Error(failure_);
    }
  }

  // Gloo forgets a send that was half written when its connection broke, and lets the caller wait
  // for it until the time-out. Nothing can wake that call, so the process ends.
  bool end_when_a_rank_is_gone() {
    try {
      if (gone_ranks(store_, roster_).empty() || !std::exchange(doubtful_, true)) return false;
    } catch (const Error&) {  // without a store, the time-out has to do
      return true;
    }
    close_connections();
    log_line(fmt::format(
        "communication failed: {}",
        missing_ranks(store_, roster_, options_.name, answer_part(options_.stall_timeout))));
    _exit(EXIT_FAILURE);
  }

  Roster roster_;
  CommOptions options_;
  Store& store_;                                        // borrowed: outlives the communicator
  std::shared_ptr<gloo::rendezvous::Context> context_;  // shared with Gloo's own objects
  std::string failure_;
  bool doubtful_ = false;  // a rank was gone already when the watchdog last looked
  Watchdog watchdog_;      // last: its thread uses the rest
};

}  // namespace

std::unique_ptr<Communicator> make_gloo(const Roster& roster, const CommOptions& options,
                                        Store& store) {
  return std::make_unique<GlooCommunicator>(roster, options, store);
}

std::string gloo_version() {
  return fmt::format("{}.{}.{}", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR, GLOO_VERSION_PATCH);
}

}  // namespace lockstep
