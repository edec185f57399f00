#include "sync/server_link.h"

#include <string_view>
#include <thread>

#include "base/error.h"
#include "comm/gather.h"
#include "sync/request_clock.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{10};

}  // namespace

ServerLink::ServerLink(Communicator& everyone, int workers, std::span<const Slice> slices)
    : everyone_(everyone), workers_(workers), slices_(slices) {}

void ServerLink::introduce(const ServerPlan& plan, std::span<const float> all_values,
                           std::span<const std::span<const float>> remembered) {
  const std::string mine = text_of(plan);
  if (broadcast_text(everyone_, mine, 0) != mine) {
    throw Error("rank {} and rank 0 train with different variables, optimizers or strategies",
                everyone_.rank());
  }
  if (everyone_.rank() != 0) return;
  const auto send_part = [&](int slice, std::span<const float> all) {
    everyone_.send(all.subspan(slices_[slice].first_float, slices_[slice].floats), rank_of(slice),
                   kDataTag);
  };
  for (int slice = 0; slice < std::ssize(slices_); ++slice) send_part(slice, all_values);
  if (plan.updates == 0) return;
  for (int slice = 0; slice < std::ssize(slices_); ++slice) {
    for (const std::span<const float> row : remembered) send_part(slice, row);
  }
}

Pulled ServerLink::visit(const Visit& visit) {
  if (visit.others_first) wait_for_others();
  if (visit.recall != kNoSlice) recall(visit);
  const bool pushes = visit.push != kNoSlice, pulls = visit.pull != kNoSlice;
  const Request request{
      .push = visit.push, .pull = visit.pull, .learning_rate = visit.learning_rate};
  if (pushes && pulls && rank_of(visit.push) == rank_of(visit.pull)) {
    const int server = rank_of(visit.push);
    const TimePoint asked = Clock::now();
    send(request, server);
    everyone_.exchange({visit.gradient, server, visit.values, server, kDataTag});
    return receive_pulled(server, asked);
  }
  if (pushes) {
    send({.push = visit.push, .learning_rate = visit.learning_rate}, rank_of(visit.push));
    everyone_.send(visit.gradient, rank_of(visit.push), kDataTag);
  }
  if (!pulls) return {};
  const int server = rank_of(visit.pull);
  const TimePoint asked = Clock::now();
  send({.pull = visit.pull}, server);
  everyone_.recv(visit.values, server, kDataTag);
  return receive_pulled(server, asked);
}

void ServerLink::recall(const Visit& visit) {
  const int server = rank_of(visit.recall);
  const size_t floats = static_cast<size_t>(slices_[visit.recall].floats);
  send({.kind = RequestKind::Recall, .pull = visit.recall}, server);
  for (size_t begin = 0; begin < visit.remembered.size(); begin += floats) {
    everyone_.recv(visit.remembered.subspan(begin, floats), server, kDataTag);
  }
  *visit.updates = receive_answer(server).updates;
}

void ServerLink::still_here() {
  for (int server = workers_; server < everyone_.size(); ++server) {
    send({.kind = RequestKind::StillHere}, server);
  }
}

// All servers are asked in turns, so that none takes the silence for a failure.
void ServerLink::wait_for_others() {
  std::vector<int> waiting;
  for (int server = workers_; server < everyone_.size(); ++server) waiting.push_back(server);
  while (!waiting.empty()) {
    std::erase_if(waiting, [&](int server) {
      send({.kind = RequestKind::Done}, server);
      return receive_answer(server).still_training == 0;
    });
    if (!waiting.empty()) std::this_thread::sleep_for(kBetweenQuestions);
  }
}

void ServerLink::leave() {
  for (int server = workers_; server < everyone_.size(); ++server) {
    send({.kind = RequestKind::Leave}, server);
  }
  everyone_.barrier();
}

void ServerLink::give_up(const std::string& reason) {
  const std::string_view told = std::string_view(reason).substr(0, kMostReasonBytes);
  for (int server = workers_; server < everyone_.size(); ++server) {
    if (server == ended_) continue;
    send({.kind = RequestKind::Failed, .text_bytes = static_cast<uint32_t>(told.size())}, server);
    everyone_.send_bytes(std::as_bytes(std::span(told)), server, kDataTag);
  }
}

void ServerLink::send(Request request, int server) {
  request.sent_seconds = clock_seconds().count();
  everyone_.send_bytes(bytes_of(request), server, kRequestTag);
}

Pulled ServerLink::receive_pulled(int server, TimePoint asked) {
  const ServerAnswer answer = receive_answer(server);
  return {
      .sum_of_squares = answer.sum_of_squares,
      .asked = asked,
      .hold = {.waited = Seconds(answer.waited_seconds), .queued = Seconds(answer.queued_seconds)}};
}

ServerAnswer ServerLink::receive_answer(int server) {
  ServerAnswer answer;
  everyone_.recv_bytes(bytes_into(answer), server, kDataTag);
  if (answer.failure_bytes == 0) return answer;
  ended_ = server;
  if (answer.failure_bytes > kMostReasonBytes) {
    throw Error("rank {} sent a reason of {} bytes", server, answer.failure_bytes);
  }
  std::string reason(answer.failure_bytes, '\0');
  everyone_.recv_bytes(std::as_writable_bytes(std::span(reason)), server, kDataTag);
  throw Error("{}", reason);
}

}  // namespace lockstep
