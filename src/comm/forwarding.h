// forwarding.h: a communicator that forwards every call to another one; derived classes override
// what they do differently.
#pragma once

#include <memory>
#include <utility>

#include "comm/communicator.h"

namespace lockstep {

class ForwardingCommunicator : public Communicator {
 public:
  explicit ForwardingCommunicator(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  void all_reduce(std::span<float> data) override { inner_->all_reduce(data); }
  void broadcast(std::span<float> data, int root) override { inner_->broadcast(data, root); }
  void barrier() override { inner_->barrier(); }
  Memory allocate(int64_t bytes) override { return inner_->allocate(bytes); }
  void send_bytes(std::span<const std::byte> data, int to, int tag) override {
    inner_->send_bytes(data, to, tag);
  }
  void recv_bytes(std::span<std::byte> data, int from, int tag) override {
    inner_->recv_bytes(data, from, tag);
  }
  int recv_any_bytes(std::span<std::byte> data, int tag) override {
    return inner_->recv_any_bytes(data, tag);
  }
  void exchange_bytes(const Exchange<std::byte>& exchange) override {
    inner_->exchange_bytes(exchange);
  }

 protected:
  Communicator& inner() { return *inner_; }

 private:
  std::unique_ptr<Communicator> inner_;
};

}  // namespace lockstep
