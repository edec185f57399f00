// transfers.h: the transfers of every step and their times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

// One message that every step has: a bucket, a variable pushed or pulled.
struct Transfer {
  std::string name;  // "bucket 3"
  int64_t bytes = 0;
  std::string layers = {};  // whose gradients it carries: "conv2 to conv4"; empty: unknown
  int server = -1;          // that it goes to or comes from; -1: none
};

// How long a parameter server held a pull before it began to send the values. The first part comes
// first.
struct ServerHold {
  Seconds waited{};  // until the last gradient that the values need had been received
  Seconds queued{};  // from then on: the server updated, or was busy with other requests
};

struct TransferTimes {
  TimePoint ready;                      // its data were there
  TimePoint begin, end;                 // it was under way
  std::optional<ServerHold> hold = {};  // absent: not from a server, or unknown
};

// The same, since the start of the measurement.
struct TransferRecord {
  Seconds ready{}, begin{}, end{};
  std::optional<ServerHold> hold = {};
};

// Keeps the times of all steps. Allocates only when it is made.
class TransferLog {
 public:
  TransferLog(size_t most_steps, size_t transfers, TimePoint start) : start_(start) {
    records_.reserve(most_steps * transfers);
  }

  void add(std::span<const TransferTimes> step) {
    for (const TransferTimes& times : step) {
      if (times.end ==
          TimePoint{}) {  // nothing came: the first step of a strategy that lags behind
        records_.emplace_back();
        continue;
      }
      records_.push_back(
          {times.ready - start_, times.begin - start_, times.end - start_, times.hold});
    }
  }
  std::span<const TransferRecord> records() const { return records_; }  // step after step

 private:
  TimePoint start_;
  std::vector<TransferRecord> records_;
};

}  // namespace lockstep
