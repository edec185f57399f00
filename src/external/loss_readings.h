// loss_readings.h: the losses that a program prints. A loss that is not finite fails the run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lockstep {

class LossReadings {
 public:
  struct Place {
    std::string worker;
    std::optional<int64_t> step;
  };

  // Returns the loss. Absent: the text is no number, such as "NA", or not finite.
  std::optional<double> add(const std::string& text, const Place& place);

  std::optional<double> last() const;                      // mean of the workers' last losses
  const std::string& problem() const { return problem_; }  // of the first bad loss; empty: none

 private:
  std::map<std::string, double> last_;  // by worker
  std::string problem_;
};

}  // namespace lockstep
