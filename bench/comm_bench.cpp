// comm_bench.cpp: shared memory beside the all-reduce of Open MPI and of Gloo as they are, between
// ranks that mpirun started on one host.
//
//   mpirun -np N comm_bench ITERATIONS MIB...
//
// The contenders take turns. Rank 0 prints one line of JSON for each size and contender.
#include <fmt/format.h>
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random_token.h"
#include "base/text.h"
#include "comm/all_reduce_timing.h"
#include "comm/backends.h"
#include "comm/forwarding.h"
#include "comm/mpi.h"
#include "comm/store.h"
#include "comm/store_server.h"

namespace lockstep {
namespace {

// The peers' all-reduce; what else the measurement needs is a communicator's of ours.
class OpenMpi : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;
  void all_reduce(std::span<float> data) override {
    MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }
};

// The sums stay in the other buffer, except the first ones of a size: those are checked.
class OpenMpiTwoBuffers : public ForwardingCommunicator {
 public:
  OpenMpiTwoBuffers(std::unique_ptr<Communicator> inner, int64_t most_floats)
      : ForwardingCommunicator(std::move(inner)), other_(most_floats) {}
  void all_reduce(std::span<float> data) override {
    MPI_Allreduce(data.data(), other_.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    if (data.size() != checked_) std::copy_n(other_.begin(), data.size(), data.begin());
    checked_ = data.size();
  }

 private:
  std::vector<float> other_;
  size_t checked_ = 0;
};

class GlooStore : public gloo::rendezvous::Store {
 public:
  explicit GlooStore(lockstep::Store& store) : store_(store) {}
  void set(const std::string& key, const std::vector<char>& data) override {
    store_.set("plain/" + key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    const std::string value = store_.get("plain/" + key, Seconds{60});
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);
  }

 private:
  lockstep::Store& store_;
};

class Gloo : public ForwardingCommunicator {
 public:
  Gloo(std::unique_ptr<Communicator> inner, Store& store)
      : ForwardingCommunicator(std::move(inner)),
        context_(std::make_shared<gloo::rendezvous::Context>(rank(), size())) {
    gloo::transport::tcp::attr attributes;
    attributes.hostname = "127.0.0.1";
    GlooStore meeting(store);
    std::shared_ptr<gloo::transport::Device> device =
        gloo::transport::tcp::CreateDevice(attributes);
    context_->connectFullMesh(meeting, device);
  }
  void all_reduce(std::span<float> data) override {
    gloo::AllreduceOptions call(context_);
    call.setOutput(data.data(), data.size());
    call.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
    gloo::allreduce(call);
  }

 private:
  std::shared_ptr<gloo::rendezvous::Context> context_;  // shared with Gloo's own objects
};

enum class Where { Plain, Shared };  // what a contender reduces: its own memory, or any

struct Contender {
  std::string name;
  std::unique_ptr<Communicator> comm;
  Where where = Where::Plain;
  Memory memory = {};
};

class Bench {
 public:
  Bench() : roster_(session_.roster()) {
    std::string where;
    if (roster_.rank == 0) {
      const std::string token = random_token();
      server_ = std::make_unique<StoreServer>(StoreServerOptions{{"127.0.0.1", 0}, token});
      where = fmt::format("{} {}", server_->port(), token);
    }
    const std::vector<std::string> told = split(session_.from_rank_0(where), ' ');
    store_ = std::make_unique<Store>(StoreOptions{
        .endpoint = {"127.0.0.1", static_cast<int>(*whole_number(told[0]))}, .token = told[1]});
  }

  void run(int iterations, const std::vector<int64_t>& sizes) {
    const int64_t most_floats = *std::max_element(sizes.begin(), sizes.end()) / 4;
    auto contenders = make_contenders(most_floats);
    std::vector<TimedCommunicator> timed;
    for (Contender& contender : contenders) {
      const int64_t bytes = 4 * most_floats;
      contender.memory =
          contender.where == Where::Shared ? contender.comm->allocate(bytes) : Memory(bytes);
      timed.push_back({*contender.comm, contender.memory.floats()});
    }
    for (const int64_t bytes : sizes) {
      const auto times = time_all_reduce(
          timed, {.message_floats = {bytes / 4}, .warm_up = 3, .iterations = iterations});
      for (size_t i = 0; i < times.size(); ++i) print(contenders[i].name, bytes, times[i]);
    }
  }

 private:
  std::unique_ptr<Communicator> make(const std::string& backend, const std::string& name) {
    return make_communicator(backend, roster_, {.name = name, .interface = "lo"}, *store_);
  }

  std::vector<Contender> make_contenders(int64_t most_floats) {
    std::vector<Contender> all;
    all.push_back({"lockstep shm", make("shm", "shm"), Where::Shared});
    all.push_back({"lockstep shm, plain memory", make("shm", "plain")});
    all.push_back({"Open MPI", std::make_unique<OpenMpi>(make("mpi", "mpi"))});
    all.push_back({"Open MPI, two buffers",
                   std::make_unique<OpenMpiTwoBuffers>(make("mpi", "mpi2"), most_floats)});
    all.push_back({"Gloo", std::make_unique<Gloo>(make("mpi", "gloo"), *store_)});
    return all;
  }

  void print(const std::string& name, int64_t bytes, const AllReduceTimes& times) const {
    if (roster_.rank != 0) return;
    const nlohmann::json line = {{"contender", name},
                                 {"ranks", roster_.size()},
                                 {"bytes", bytes},
                                 {"seconds", times.seconds},
                                 {"wrong", times.wrong}};
    std::puts(line.dump().c_str());
  }

  MpiSession session_;
  const Roster& roster_;
  std::unique_ptr<StoreServer> server_;  // of rank 0
  std::unique_ptr<Store> store_;
};

}  // namespace
}  // namespace lockstep

int main(int count, char** words) {
  std::vector<int64_t> sizes;
  for (int i = 2; i < count; ++i) sizes.push_back(*lockstep::whole_number(words[i]) << 20);
  lockstep::Bench().run(static_cast<int>(*lockstep::whole_number(words[1])), sizes);
}
