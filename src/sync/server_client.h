// server_client.h: a replica whose values are kept by parameter servers: what all strategies with
// servers share. The strategies decide when slices are pushed and pulled, and where to.
#pragma once

#include <optional>
#include <vector>

#include "sync/background_exchange.h"
#include "sync/strategies.h"
#include "sync/variable_placement.h"

namespace lockstep {

class ServerClient {
 public:
  ServerClient(Replicated replicated, const Peers& peers, const SyncOptions& options);

  // Servers know the plan and worker 0's values; the arena holds them.
  void start();
  void begin_step(double learning_rate) { learning_rate_ = learning_rate; }
  void gradient_ready(int slice);  // only says when
  // Both run in the background; either may be kNoSlice.
  BackgroundExchange::Ticket post(int push, int pull);
  BackgroundExchange::Ticket pull_all(std::span<float> into);  // which is laid out like the arena

  BackgroundExchange& exchange() { return *exchange_; }
  std::span<const Slice> slices() const { return slices_; }
  ParameterArena& arena() const { return replicated_.arena; }
  void tell_engine(int slice);    // its values in the arena are new
  void tell_engine();             // all are
  double pulled_squares() const;  // of the last pulls of all slices
  void drain();   // all workers' last pushes are applied; their outcome is in the arena
  void finish();  // settles, and goodbye

  void carry_on(const Carried& carried) { carried_ = carried; }  // before start()
  // Waits; between two steps. `values`: laid out like the arena.
  void pull_newest(std::span<float> values);
  Carried carried();
  // Of all values that decay, of a row that is laid out like the arena.
  double squares_of(std::span<const float> values) const;

  std::span<const Transfer> transfers() const { return transfers_; }
  std::span<const TransferTimes> transfer_times() const;

 private:
  ServerPlan plan(const SyncOptions& options) const;
  void introduce();

  Replicated replicated_;
  int workers_;
  std::vector<Slice> slices_;
  ServerPlan plan_;
  ServerLink link_;
  std::vector<Transfer> transfers_;  // as BackgroundExchange::times()
  double learning_rate_ = 0;
  Carried carried_;                             // of a checkpoint, until the servers have it
  std::optional<BackgroundExchange> exchange_;  // last: its thread uses the rest; from start() on
};

}  // namespace lockstep
