// pickle.h: reads Python pickles as data and never executes their calls.
//
// A pickle is a program for a small stack machine, and Python's own reader lets it call anything.
// This one only builds values: numbers, strings, byte strings, lists, tuples, dictionaries. Names
// of Python objects stay names, and calls are not executed but kept as PickleCall. Only the few
// names that NumPy arrays need are allowed; any other is an Error.
//
// Values refer to each other by index into one list, because a pickle may build cycles and deep
// chains that pointers cannot own and recursion cannot follow.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/formats/bytes.h"

namespace lockstep {

using PickleId = uint32_t;
struct PickleNone {};
struct PickleName {
  std::string_view module, name;
};
struct PickleList {  // a tuple too
  std::vector<PickleId> items;
};
struct PickleDict {
  std::vector<std::pair<PickleId, PickleId>> items;
};
struct PickleCall {
  PickleName callee;
  PickleId arguments;             // a list
  std::optional<PickleId> state;  // what the object would be told after it was made
};

// string_view: texts and byte strings.
using PickleValue = std::variant<PickleNone, bool, int64_t, double, std::string_view, PickleName,
                                 PickleList, PickleDict, PickleCall>;

// Views of the file's bytes, valid as long as they are.
struct Pickle {
  std::vector<PickleValue> values;
  PickleId root = 0;

  template <typename T>
  const T* as(PickleId id) const {  // nullptr when it is something else
    return std::get_if<T>(&values[id]);
  }
};

// Throws Error if the pickle is damaged, not plain data, or needs too much memory.
Pickle read_pickle(ByteView file);

}  // namespace lockstep
