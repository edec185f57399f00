// pack.h: packs examples into TFRecord shards with several threads; resumes after an interruption.
//
// A shard is written under a hidden name and renamed when it is complete and on disk. So named
// shards are done, and a second call writes only the missing ones. A small file describes the
// packing; it is hidden until all shards are done. Another packing in the same directory is
// rejected, and so are shards without such a file.
#pragma once

#include <functional>
#include <string>

#include "data/formats/damage.h"
#include "data/formats/example_source.h"

namespace lockstep {

// What is packed: example by example, as it is written.
struct PackedExample {
  ByteBuffer jpeg;
  int64_t label = 0;
  int height = 0, width = 0, channels = 3;
  std::string class_name, file_name;
};
using MakeExample = std::function<PackedExample(int64_t index)>;  // throws Error; any thread

struct PackJob {
  std::string directory;
  Split split = Split::Training;
  int64_t examples = 0;
  int shards = 1;
  uint64_t seed = 1;  // examples are shuffled over all shards
  int threads = 1;
  std::string description;  // of the source and all that decides the content
  MakeExample make;
};

struct PackOutcome {
  int written_shards = 0, kept_shards = 0;  // kept: from a call before
  int64_t written_examples = 0, bytes = 0;
};

// `progress(done, all)` is called with examples, from any thread, one at a time; returning false
// stops the packing after the example. Throws Error.
PackOutcome pack(const PackJob& job, Damage& damage,
                 const std::function<bool(int64_t done, int64_t all)>& progress);

std::string shard_name(Split split, int shard, int shards);  // "train-00003-of-00128"

// Examples of a source for a job: JPEGs as they are, stored pixels as JPEGs of full colour.
// Borrows the source.
MakeExample packer_of(const ExampleSource& source, int quality);

}  // namespace lockstep
