// framework_job.h: the directory that tells an adapter what to train: job.json and files of
// numbers.
//
// Values, images, labels and dropout masks are those of our own engines for the same seed. They are
// handed over as files, so that no framework has to draw the same random numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/pipeline/input_source.h"
#include "nn/graph.h"
#include "nn/optimizer.h"

namespace lockstep {

struct FrameworkJob {
  const Graph& graph;
  int batch = 1, threads = 1;
  int warmup_steps = 0, timed_steps = 0;
  uint64_t values_seed = 0;   // of the first values, equal on all ranks
  uint64_t dropout_seed = 0;  // of this rank
  InputSource& input;         // its next batches are those of the run; in NCHW
  OptimizerSettings optimizer = {};
  std::vector<double> learning_rates = {};  // of every step, warm-up included
  std::string device = "cpu";
  std::string dtype = "f32";  // or "tf32", of GPUs
  std::string mode = {};      // empty: the fastest of all
  bool communicates = true;

  // The first steps, with which sameness is checked; 0: none.
  int check_steps = 0;
  double check_learning_rate = 0, check_weight_decay = 0;

  int rank = 0, size = 1, local_rank = 0;
  std::vector<std::string> addresses = {};  // HOST:PORT of every rank, where it may listen
};

// Writes everything into `directory`, which exists. Returns the path of job.json. Throws Error.
std::string write_framework_job(const FrameworkJob& job, const std::string& directory);

}  // namespace lockstep
