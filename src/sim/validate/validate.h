// validate.h: predictions beside published measurements, and how wrong they are.
//
// Efficiency is images per second over those of as many base devices. The base is the one-device
// run of the same source, model, batch and data; without one, the one-device rate of the cluster
// file; without that, the smallest run. Rows with an efficiency alone may say what it is a part of.
// Rows far above the base are skipped: they have another precision, or an error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/validate/published_rows.h"

namespace lockstep {

// What a prediction may know besides the cluster.
enum class KnownRuns {
  Device,   // the one-device rate
  Node,     // and for several nodes what one whole node reached, where it was published
  Smallest  // and the smallest run on several nodes, which calibrates the network or the jitter
};

struct ValidatedRow {
  PublishedRow row;
  double published = 0, predicted = 0;  // efficiency
  double images_per_second = 0;         // predicted
  std::optional<double> persistence;    // efficiency of the smallest run with several devices
  std::string known;                    // what it was predicted from: "1 device at 142 images/sec"

  double error() const { return predicted - published; }
};

struct Validation {
  std::vector<ValidatedRow> rows;
  std::vector<std::string> skipped;  // "FILE:LINE: why": every row with several devices, but for
                                     // those that are only the base of others
};

// `directory`: of cluster files besides the built-in ones.
Validation validate(const std::vector<PublishedRow>& rows, const std::string& directory,
                    KnownRuns known);

}  // namespace lockstep
