#include "sync/server_client.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "nn/l2.h"
#include "sync/updater.h"

namespace lockstep {
namespace {

int servers_of(const Peers& peers) {
  const int servers = peers.everyone ? peers.everyone->size() - peers.workers->size() : 0;
  if (servers < 1)
    throw UsageError("this strategy needs parameter servers; use --num-ps of at least 1");
  return servers;
}

}  // namespace

ServerClient::ServerClient(Replicated replicated, const Peers& peers, const SyncOptions& options)
    : replicated_(std::move(replicated)),
      workers_(peers.workers->size()),
      slices_(place_slices(replicated_, servers_of(peers), options)),
      plan_(plan(options)),
      link_(*peers.everyone, workers_, slices_) {
  for (const char* what : {"push", "pull"}) {
    for (const Slice& slice : slices_) {
      transfers_.push_back({.name = fmt::format("{} {}", what, slice.name),
                            .bytes = slice.bytes(),
                            .layers = slice.name,
                            .server = slice.server});
    }
  }
}

ServerPlan ServerClient::plan(const SyncOptions& options) const {
  const int together = options.synchronous ? workers_ : 1;  // in one update
  return {.workers = workers_,
          .synchronous = options.synchronous,
          .gradient_scale = gradient_scale(options, together),
          .optimizer = optimizer_for(replicated_.optimizer, options, together),
          .slices = slices_};
}

void ServerClient::introduce() {
  const std::vector<std::string_view> names = optimizer_memory(replicated_.optimizer.name);
  std::vector<std::span<const float>> rows;
  for (const std::string_view name : names) {
    if (const CarriedRow* row = carried_.find(name)) rows.push_back(row->floats);
  }
  plan_.updates = rows.size() == names.size() ? carried_.optimizer_steps : 0;
  link_.introduce(plan_, arena().all_values(), rows);
  carried_ = {};
}

void ServerClient::start() {
  introduce();
  const int slices = static_cast<int>(slices_.size());
  exchange_.emplace(link_, slices, 4 * slices);
  exchange_->wait(pull_all(arena().all_values()));
  tell_engine();
}

void ServerClient::gradient_ready(int slice) { exchange_->push_times(slice).ready = Clock::now(); }

BackgroundExchange::Ticket ServerClient::post(int push, int pull) {
  Visit visit{.push = push, .learning_rate = learning_rate_, .pull = pull};
  const auto part = [](std::span<float> all, const Slice& slice) {
    return all.subspan(slice.first_float, slice.floats);
  };
  if (push != kNoSlice) visit.gradient = part(arena().all_gradients(), slices_[push]);
  if (pull != kNoSlice) {
    visit.values = part(arena().all_values(), slices_[pull]);
    exchange_->pull_times(pull).ready = Clock::now();
  }
  return exchange_->post(visit);
}

BackgroundExchange::Ticket ServerClient::pull_all(std::span<float> into) {
  BackgroundExchange::Ticket last = 0;
  const TimePoint now = Clock::now();
  for (int slice = 0; const Slice& each : slices_) {
    exchange_->pull_times(slice).ready = now;
    last =
        exchange_->post({.pull = slice++, .values = into.subspan(each.first_float, each.floats)});
  }
  return last;
}

void ServerClient::tell_engine(int slice) {
  for (const ParameterId id : slices_[slice].completes) replicated_.values_changed(id);
}

void ServerClient::tell_engine() {
  for (int slice = 0; slice < std::ssize(slices_); ++slice) tell_engine(slice);
}

double ServerClient::pulled_squares() const {
  double sum = 0;
  for (int slice = 0; slice < std::ssize(slices_); ++slice) sum += exchange_->sum_of_squares(slice);
  return sum;
}

void ServerClient::pull_newest(std::span<float> values) { exchange_->wait(pull_all(values)); }

Carried ServerClient::carried() {
  const size_t floats = arena().all_values().size();
  Carried carried{.values = std::vector<float>(floats)};
  for (const std::string_view name : optimizer_memory(replicated_.optimizer.name)) {
    carried.rows.push_back({std::string(name), std::vector<float>(floats)});
  }
  pull_newest(carried.values);
  const size_t kinds = carried.rows.size();
  for (int slice = 0; const Slice& each : slices_) {
    std::vector<float> room(kinds * static_cast<size_t>(each.floats));
    exchange_->wait(exchange_->post(
        {.recall = slice++, .remembered = room, .updates = &carried.optimizer_steps}));
    for (size_t kind = 0; kind < kinds; ++kind) {
      const auto row = std::span(room).subspan(kind * static_cast<size_t>(each.floats),
                                               static_cast<size_t>(each.floats));
      std::ranges::copy(row, carried.rows[kind].floats.begin() + each.first_float);
    }
  }
  return carried;
}

double ServerClient::squares_of(std::span<const float> values) const {
  double sum = 0;
  for (ParameterId id = 0; const OptimizedParameter& parameter : replicated_.parameters) {
    const auto part = values.subspan(arena().offset(id), arena().values(id).size());
    if (parameter.decays) sum += sum_of_squares(part);
    ++id;
  }
  return sum;
}

void ServerClient::drain() {
  exchange_->post({.others_first = true});
  exchange_->wait(pull_all(arena().all_values()));
  tell_engine();
}

void ServerClient::finish() {
  drain();
  exchange_->finish();
}

std::span<const TransferTimes> ServerClient::transfer_times() const { return exchange_->times(); }

}  // namespace lockstep
