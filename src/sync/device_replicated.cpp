#include "sync/device_replicated.h"

#include "sync/updater.h"

namespace lockstep {

DeviceReplicated::DeviceReplicated(const Replicated& replicated, DeviceCommunicator* communicator,
                                   const SyncOptions& options)
    : parameters_(*replicated.device),
      communicator_(communicator),
      options_(options),
      memory_(optimizer_memory(replicated.optimizer.name)),
      buckets_(make_buckets(parameters_.layout(), options)) {
  parameters_.set_optimizer(optimizer_for(replicated.optimizer, options, replicas()),
                            replicated.parameters);
  if (!communicator_) return;
  parameters_.while_waiting([this](Seconds waited) { communicator_->check(waited); });
}

DeviceReplicated::~DeviceReplicated() { parameters_.while_waiting({}); }

void DeviceReplicated::start() {
  parameters_.take_gradients();  // and values that were written until now
  if (communicator_) communicator_->broadcast(parameters_.values(), 0, parameters_.update_stream());
  parameters_.values_given();
  parameters_.give_values();
}

Seconds DeviceReplicated::begin_step(double learning_rate) {
  parameters_.begin_step(learning_rate, gradient_scale(options_, replicas()));
  ready_ = queued_ = 0;
  return Seconds{0};
}

void DeviceReplicated::gradient_ready(ParameterId id) {
  while (ready_ < buckets_.size() && buckets_[ready_].last == id) ++ready_;
  if (options_.overlap && options_.repacking == 0) queue_up_to(ready_);
}

Seconds DeviceReplicated::finish_step() {
  queue_up_to(buckets_.size());
  parameters_.give_values();
  return Seconds{0};
}

void DeviceReplicated::finish() { parameters_.wait(); }

void DeviceReplicated::queue_up_to(size_t end) {
  if (queued_ == end) return;
  parameters_.take_gradients();
  for (; queued_ < end; ++queued_) {
    const Bucket& bucket = buckets_[queued_];
    if (communicator_) {
      communicator_->all_reduce(parameters_.gradients().part(bucket.first_float, bucket.floats),
                                parameters_.update_stream());
      if (queued_ + 1 == buckets_.size()) parameters_.communicated();
    }
    parameters_.update(bucket.first_float, bucket.floats);
  }
}

void DeviceReplicated::carry_on(const Carried& carried) {
  parameters_.set_optimizer_steps(carried.optimizer_steps);
  if (carried.loss_scale) parameters_.set_loss_scale(*carried.loss_scale);
  for (const std::string_view name : memory_) {
    if (const CarriedRow* row = carried.find(name)) parameters_.write_row(name, row->floats);
  }
}

void DeviceReplicated::newest_values(std::span<float> values) {
  parameters_.read_row("values", values);
}

Carried DeviceReplicated::carried() {
  const auto floats = static_cast<size_t>(parameters_.layout().floats());
  Carried carried{.values = std::vector<float>(floats),
                  .optimizer_steps = parameters_.optimizer_steps()};
  newest_values(carried.values);
  for (const std::string_view name : memory_) {
    carried.rows.push_back({std::string(name), std::vector<float>(floats)});
    parameters_.read_row(name, carried.rows.back().floats);
  }
  carried.loss_scale = parameters_.loss_scale();
  return carried;
}

}  // namespace lockstep
