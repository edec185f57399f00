#include "sync/server.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "comm/gather.h"
#include "nn/l2.h"
#include "sync/owned_slice.h"
#include "sync/request_clock.h"
#include "sync/server_plan.h"
#include "sync/server_protocol.h"

namespace lockstep {
namespace {

constexpr Seconds kBetweenLooks{1};  // for dead ranks: a question to the store

class Server {
 public:
  Server(Communicator& everyone, const ServerPlan& plan, const ServerSurroundings& surroundings);

  void take_first_values();
  void take_memory();  // of a checkpoint
  void serve();

 private:
  void handle(const Request& request, int worker);
  void check(int slice, int worker) const;
  void visit(const Request& request, int worker);
  void recall(int slice, int worker);
  std::span<float> remembered(int slice, size_t part, size_t kind) const;
  void receive(std::span<float> gradient, int worker, int answered);
  void apply(int slice, int worker, double learning_rate);
  void update(int slice, std::span<const float> gradient, double learning_rate);

  bool can_answer(int slice, int worker) const;
  void answer(int slice, int worker);
  ServerAnswer answer_now(int slice, int worker) const;
  void send_answer(ServerAnswer answer, int worker);
  void hear_failure(const Request& request, int worker);
  void look_for_lost();
  bool is_known_dead(int worker);
  std::string who(int worker) const;
  void give_up(const std::string& reason);

  struct WorkerState {
    bool done = false;  // with its steps
    bool gone = false;  // will not speak again
    TimePoint heard = Clock::now();
    RequestClock requests;
  };

  Communicator& everyone_;            // borrowed
  const ServerSurroundings& around_;  // borrowed
  bool synchronous_;
  double gradient_scale_;
  std::vector<Slice> slices_;  // of all servers, as requests count them; others' are empty here
  Memory values_;
  std::vector<OwnedSlice> owned_;         // as slices_
  std::vector<ParameterId> first_part_;   // of each slice, as the optimizer counts them
  std::unique_ptr<Optimizer> optimizer_;  // owned: its momentum belongs to this server
  int last_slice_ = kNoSlice;             // that is on this server
  size_t kinds_;                          // of numbers that it remembers per value
  int64_t updates_before_;                // of a checkpoint
  std::vector<WorkerState> workers_;
  Rooms rooms_;
  std::string failure_;  // the reason sent to workers so that they stop; empty: no failure
  TimePoint looked_{};   // for lost workers
  bool lost_the_store_ = false;
};

Server::Server(Communicator& everyone, const ServerPlan& plan,
               const ServerSurroundings& surroundings)
    : everyone_(everyone),
      around_(surroundings),
      synchronous_(plan.synchronous),
      gradient_scale_(plan.gradient_scale),
      slices_(plan.slices),
      kinds_(optimizer_memory(plan.optimizer.name).size()),
      updates_before_(plan.updates),
      workers_(plan.workers) {
  int64_t floats = 0;
  for (int index = 0; Slice & slice : slices_) {
    if (slice.server != everyone.rank() - plan.workers) slice = {};
    if (slice.floats > 0) last_slice_ = index;
    floats += slice.floats;
    ++index;
  }
  values_ = Memory(floats * static_cast<int64_t>(sizeof(float)));
  std::vector<OptimizedParameter> parts;
  for (int64_t begin = 0; const Slice& slice : slices_) {
    owned_.emplace_back(values_.floats().subspan(begin, slice.floats), plan.workers);
    begin += slice.floats;
    first_part_.push_back(static_cast<ParameterId>(parts.size()));
    for (const SlicePart& part : slice.parts) parts.push_back({part.floats, part.decays});
  }
  optimizer_ = make_optimizer(plan.optimizer, parts);
}

void Server::take_first_values() {
  for (size_t i = 0; i < owned_.size(); ++i) {
    everyone_.recv(owned_[i].values(), 0, kDataTag);
    for (const SlicePart& part : slices_[i].parts) {
      const auto values = owned_[i].values().subspan(part.first_float, part.floats);
      if (part.decays) owned_[i].sum_of_squares += sum_of_squares(values);
    }
  }
}

// A message per slice and kind, laid out like the slice.
void Server::take_memory() {
  if (updates_before_ == 0) return;
  for (int slice = 0; slice < std::ssize(slices_); ++slice) {
    std::vector<float> room(static_cast<size_t>(slices_[slice].floats));
    for (size_t kind = 0; kind < kinds_; ++kind) {
      everyone_.recv(room, 0, kDataTag);
      for (size_t part = 0; part < slices_[slice].parts.size(); ++part) {
        const SlicePart& place = slices_[slice].parts[part];
        std::ranges::copy(std::span(room).subspan(place.first_float, place.floats),
                          remembered(slice, part, kind).begin());
      }
    }
  }
}

std::span<float> Server::remembered(int slice, size_t part, size_t kind) const {
  return optimizer_->state(first_part_[slice] + static_cast<ParameterId>(part))[kind].values;
}

void Server::serve() {
  while (std::ranges::count(workers_, false, &WorkerState::gone) > 0) {
    Request request;
    const Seconds looked = clock_seconds();
    const int worker = everyone_.recv_any_bytes(bytes_into(request), kRequestTag);
    if (worker >= std::ssize(workers_)) throw Error("rank {} is not a worker", worker);
    workers_[worker].heard = Clock::now();
    workers_[worker].requests.take(Seconds(request.sent_seconds), looked, clock_seconds());
    handle(request, worker);
  }
  if (!failure_.empty()) throw Error("{}", failure_);
  if (around_.end) around_.end();
  everyone_.barrier();
}

void Server::handle(const Request& request, int worker) {
  switch (request.kind) {
    case RequestKind::Visit:
      return visit(request, worker);
    case RequestKind::Recall:
      return recall(request.pull, worker);
    case RequestKind::StillHere:
      return;
    case RequestKind::Done:
      workers_[worker].done = true;
      look_for_lost();
      return send_answer({}, worker);
    case RequestKind::Leave:
      workers_[worker].gone = true;
      return;
    case RequestKind::Failed:
      return hear_failure(request, worker);
  }
  throw Error("rank {} sent an unknown request to a parameter server", worker);
}

void Server::check(int slice, int worker) const {
  const bool mine = slice >= 0 && slice < std::ssize(slices_) && slices_[slice].floats > 0;
  if (!mine) throw Error("rank {} named slice {}, which is not on this server", worker, slice);
}

void Server::visit(const Request& request, int worker) {
  const bool pushes = request.push != kNoSlice, pulls = request.pull != kNoSlice;
  if (pushes) check(request.push, worker);
  if (pulls) check(request.pull, worker);
  const bool at_once = pulls && can_answer(request.pull, worker);
  const ServerAnswer answer = at_once ? answer_now(request.pull, worker) : ServerAnswer{};
  if (pushes) {
    OwnedSlice& slice = owned_[request.push];
    const auto room = slice.room_for(worker, rooms_);
    receive(room, worker, at_once ? request.pull : kNoSlice);
  } else if (at_once) {
    everyone_.send(owned_[request.pull].values(), worker, kDataTag);
  }
  if (at_once) send_answer(answer, worker);
  if (pulls && !at_once) owned_[request.pull].asking[worker] = true;
  if (pushes) apply(request.push, worker, request.learning_rate);
}

// Whoever asks has pulled the values before, so all updates that it took part in are made.
void Server::recall(int slice, int worker) {
  check(slice, worker);
  if (!can_answer(slice, worker)) {
    throw Error("rank {} requested the optimizer state of slice {} before pulling it", worker,
                slice);
  }
  std::vector<float> room(static_cast<size_t>(slices_[slice].floats));
  for (size_t kind = 0; kind < kinds_; ++kind) {
    for (size_t part = 0; part < slices_[slice].parts.size(); ++part) {
      std::ranges::copy(remembered(slice, part, kind),
                        room.begin() + slices_[slice].parts[part].first_float);
    }
    everyone_.send(room, worker, kDataTag);
  }
  send_answer({.updates = updates_before_ + owned_[slice].updates}, worker);
}

// Gradients in; at the same time the values that the worker is waiting for out, if they are ready.
void Server::receive(std::span<float> gradient, int worker, int answered) {
  const std::span<const float> values =
      answered == kNoSlice ? std::span<const float>() : owned_[answered].values();
  everyone_.exchange(
      {.out = values, .to = worker, .in = gradient, .from = worker, .tag = kDataTag});
  workers_[worker].requests.take_gradient(clock_seconds());
}

void Server::apply(int index, int worker, double learning_rate) {
  OwnedSlice& slice = owned_[index];
  if (!synchronous_) {
    update(index, slice.take_alone(worker), learning_rate);
    slice.next_step(rooms_);
    return;
  }
  if (!slice.add(worker, rooms_)) return;
  slice.complete = workers_[worker].requests.gradient();
  update(index, slice.sum(), learning_rate);
  slice.next_step(rooms_);
  for (int other = 0; other < std::ssize(workers_); ++other) {
    if (slice.asking[other] && can_answer(index, other)) answer(index, other);
  }
}

// Slices are updated one by one, so each has its own count of steps.
void Server::update(int index, std::span<const float> gradient, double learning_rate) {
  OwnedSlice& slice = owned_[index];
  optimizer_->set_steps(updates_before_ + slice.updates++);
  optimizer_->begin_step(learning_rate, gradient_scale_);
  slice.sum_of_squares = 0;
  for (ParameterId id = first_part_[index]; const SlicePart& part : slices_[index].parts) {
    slice.sum_of_squares +=
        optimizer_->apply(id++, slice.values().subspan(part.first_float, part.floats),
                          gradient.subspan(part.first_float, part.floats));
  }
  // All slices are updated equally often: one of them tells.
  if (around_.progress && index == last_slice_) {
    around_.progress(updates_before_ + slice.updates);
  }
}

// A worker sees all updates that it took part in.
bool Server::can_answer(int slice, int worker) const {
  return !failure_.empty() || !synchronous_ ||
         owned_[slice].updates == owned_[slice].pushes(worker);
}

void Server::answer(int slice, int worker) {
  owned_[slice].asking[worker] = false;
  const ServerAnswer answer = answer_now(slice, worker);
  everyone_.send(owned_[slice].values(), worker, kDataTag);
  send_answer(answer, worker);
}

// Whose values are sent next: they could have been when they were complete.
ServerAnswer Server::answer_now(int slice, int worker) const {
  const Seconds asked = workers_[worker].requests.arrival();
  const Seconds ready = std::max(asked, owned_[slice].complete);
  return {.sum_of_squares = owned_[slice].sum_of_squares,
          .waited_seconds = (ready - asked).count(),
          .queued_seconds = (clock_seconds() - ready).count()};
}

void Server::send_answer(ServerAnswer answer, int worker) {
  const auto training = std::ranges::count(workers_, false, &WorkerState::done);
  answer.still_training = static_cast<int32_t>(training);
  answer.failure_bytes = static_cast<uint32_t>(failure_.size());
  everyone_.send_bytes(bytes_of(answer), worker, kDataTag);
  everyone_.send_bytes(std::as_bytes(std::span(failure_)), worker, kDataTag);
  workers_[worker].gone = !failure_.empty();
}

void Server::hear_failure(const Request& request, int worker) {
  if (request.text_bytes > kMostReasonBytes) {
    throw Error("rank {} sent a reason of {} bytes", worker, request.text_bytes);
  }
  std::string reason(request.text_bytes, '\0');
  everyone_.recv_bytes(std::as_writable_bytes(std::span(reason)), worker, kDataTag);
  workers_[worker].gone = true;
  give_up(reason.empty() ? fmt::format("{} failed", who(worker)) : reason);
}

// Workers that are done ask again and again until all are, so no call of theirs or of this server
// ever takes long: nothing else would notice that one of the others died before it was done.
void Server::look_for_lost() {
  if (!failure_.empty() || seconds_since(looked_) < kBetweenLooks) return;
  looked_ = Clock::now();
  for (int worker = 0; worker < std::ssize(workers_); ++worker) {
    WorkerState& state = workers_[worker];
    if (state.done || state.gone) continue;
    const bool dead = is_known_dead(worker);
    if (!dead && seconds_since(state.heard) < around_.stall_timeout) continue;
    state.gone = true;
    give_up(fmt::format("{} {}", who(worker), dead ? "is gone" : "does not answer"));
  }
}

bool Server::is_known_dead(int worker) {
  if (!around_.gone || lost_the_store_) return false;
  try {
    return std::ranges::count(around_.gone(), worker) > 0;
  } catch (const Error&) {  // perhaps with the launcher: silence has to do
    lost_the_store_ = true;
    return false;
  }
}

std::string Server::who(int worker) const {
  return around_.who ? around_.who(worker) : fmt::format("rank {}", worker);
}

// From now on every request is answered with the reason of the failure: the first one that is
// known.
void Server::give_up(const std::string& reason) {
  if (failure_.empty()) failure_ = reason;
  for (int slice = 0; slice < std::ssize(owned_); ++slice) {
    for (int other = 0; other < std::ssize(workers_); ++other) {
      const bool waits = owned_[slice].asking[other] && !workers_[other].gone;
      if (waits) answer(slice, other);
    }
  }
}

}  // namespace

void dismiss_servers(Communicator& everyone) {
  broadcast_text(everyone, "", 0);
  everyone.barrier();
}

void run_server(Communicator& everyone, const ServerSurroundings& surroundings) {
  const std::string plan = broadcast_text(everyone, "", 0);
  if (plan.empty()) return everyone.barrier();  // dismissed
  const ServerPlan decided = plan_from_text(plan);
  check_place(decided, everyone.rank());
  Server server(everyone, decided, surroundings);
  server.take_first_values();
  server.take_memory();
  server.serve();
}

}  // namespace lockstep
