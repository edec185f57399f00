#include "data/formats/pickle.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr size_t kMostValues = 400'000;  // of a hostile file; a CIFAR batch has 20,000

constexpr std::pair<std::string_view, std::string_view> kAllowedNames[] = {
    {"numpy.core.multiarray", "_reconstruct"},
    {"numpy._core.multiarray", "_reconstruct"},
    {"numpy", "ndarray"},
    {"numpy", "dtype"},
};

PickleName allowed(std::string_view module, std::string_view name) {
  const bool known = std::ranges::any_of(
      kAllowedNames, [&](const auto& row) { return row.first == module && row.second == name; });
  if (!known) {
    throw Error("Python object {}.{} is not supported; only plain data is", module, name);
  }
  return {module, name};
}

// What the operations work on.
class Machine {
 public:
  explicit Machine(ByteView pickle) : rest_(pickle) {}

  // Input.
  ByteView take(uint64_t count) {
    if (count > rest_.size()) throw Error("truncated: {} bytes are missing", count - rest_.size());
    const ByteView taken = rest_.first(static_cast<size_t>(count));
    rest_ = rest_.subspan(static_cast<size_t>(count));
    return taken;
  }
  template <typename T>
  T number() {
    return little_endian<T>(take(sizeof(T)));
  }
  std::string_view line() {
    const auto end = std::ranges::find(rest_, '\n');
    if (end == rest_.end()) throw Error("truncated inside a line");
    const ByteView text = take(static_cast<uint64_t>(end - rest_.begin()));
    take(1);
    return text_of(text);
  }

  // Stack.
  void push(PickleValue value) {
    if (pickle_.values.size() >= kMostValues) {
      throw Error("more than {} values", kMostValues);
    }
    pickle_.values.push_back(std::move(value));
    push_id(static_cast<PickleId>(pickle_.values.size() - 1));
  }
  PickleId pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
      throw Error("the pickle stack is empty");
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }
  std::vector<PickleId> pop_many(size_t count) {
    std::vector<PickleId> ids(count);
    while (count-- > 0) ids[count] = pop();
    return ids;
  }
  void mark() {
    if (marks_.size() >= kMostValues) throw Error("more than {} marks", kMostValues);
    marks_.push_back(stack_.size());
  }
  std::vector<PickleId> pop_to_mark() {
    if (marks_.empty()) throw Error("missing pickle mark");
    std::vector<PickleId> ids = pop_many(stack_.size() - marks_.back());
    marks_.pop_back();
    return ids;
  }
  template <typename T>
  T& value_as(PickleId id, std::string_view what) {
    T* found = std::get_if<T>(&pickle_.values[id]);
    if (!found) throw Error("{} is missing", what);
    return *found;
  }
  template <typename T>
  T& top_as(std::string_view what) {
    return value_as<T>(top(), what);
  }

  // Values that are referred to again.
  void remember(size_t place) {
    if (place > kMostValues) throw Error("memo index {} is too large", place);
    if (memo_.size() <= place) memo_.resize(place + 1);
    memo_[place] = top();
  }
  void remember_next() { remember(memo_.size()); }
  void recall(size_t place) {
    if (place >= memo_.size() || !memo_[place]) throw Error("reference to a missing value");
    push_id(*memo_[place]);
  }

  Pickle result() {
    pickle_.root = pop();
    return std::move(pickle_);
  }

 private:
  PickleId top() const {
    if (stack_.empty()) throw Error("the pickle stack is empty");
    return stack_.back();
  }
  void push_id(PickleId id) {
    if (stack_.size() >= kMostValues) throw Error("more than {} values", kMostValues);
    stack_.push_back(id);
  }

  ByteView rest_;
  Pickle pickle_;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::vector<std::optional<PickleId>> memo_;
};

// Operations that need more than a line.

void read_long(Machine& machine) {  // two's complement, little-endian
  const ByteView bytes = machine.take(machine.number<uint8_t>());
  if (bytes.size() > 8) throw Error("a number of {} bytes is not supported", bytes.size());
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t{bytes[i]} << (8 * i);
  const bool negative = !bytes.empty() && bytes.back() >= 0x80;
  if (negative && bytes.size() < 8) value |= ~uint64_t{0} << (8 * bytes.size());
  machine.push(static_cast<int64_t>(value));
}

void read_text_number(Machine& machine) {
  const std::string_view text = machine.line();
  if (text == "00" || text == "01") return machine.push(text == "01");
  const auto value = whole_number(text.ends_with('L') ? text.substr(0, text.size() - 1) : text);
  if (!value) throw Error("'{}' is not a number", text);
  machine.push(*value);
}

size_t place_in(std::string_view text) {
  const auto place = whole_number(text);
  if (!place || *place < 0) throw Error("'{}' is not a memo index", text);
  return static_cast<size_t>(*place);
}

void read_double(Machine& machine) {
  uint64_t bits = 0;
  for (const uint8_t byte : machine.take(8)) bits = bits << 8 | byte;
  machine.push(std::bit_cast<double>(bits));
}

void read_global(Machine& machine) {
  const std::string_view module = machine.line();
  machine.push(allowed(module, machine.line()));
}

void stack_global(Machine& machine) {
  const std::vector<PickleId> names = machine.pop_many(2);
  machine.push(allowed(machine.value_as<std::string_view>(names[0], "a module's name"),
                       machine.value_as<std::string_view>(names[1], "an object's name")));
}

void call(Machine& machine) {
  const std::vector<PickleId> parts = machine.pop_many(2);
  machine.value_as<PickleList>(parts[1], "a call's arguments");
  machine.push(PickleCall{machine.value_as<PickleName>(parts[0], "a call's name"), parts[1], {}});
}

void build(Machine& machine) {
  const PickleId state = machine.pop();
  machine.top_as<PickleCall>("the object to build").state = state;
}

void add_items(Machine& machine, const std::vector<PickleId>& ids) {
  auto& items = machine.top_as<PickleList>("the list to add to").items;
  items.insert(items.end(), ids.begin(), ids.end());
}

void add_pairs(Machine& machine, const std::vector<PickleId>& ids) {
  auto& items = machine.top_as<PickleDict>("the dictionary to add to").items;
  if (ids.size() % 2 != 0) throw Error("a key has no value");
  for (size_t i = 0; i < ids.size(); i += 2) items.emplace_back(ids[i], ids[i + 1]);
}

template <typename Length>
void read_text(Machine& machine) {
  machine.push(text_of(machine.take(machine.number<Length>())));
}

struct Operation {
  uint8_t code;
  void (*run)(Machine& machine);
};
using M = Machine;

// The operations that write data (Python's pickletools lists all there are). Those that are not
// here cannot be part of plain data.
// clang-format off
constexpr Operation kOperations[] = {
    {0x80, [](M& m) { m.take(1); }},  // protocol
    {0x95, [](M& m) { m.take(8); }},  // frame
    {'(', [](M& m) { m.mark(); }},
    {'0', [](M& m) { m.pop(); }},
    {'N', [](M& m) { m.push(PickleNone{}); }},
    {0x88, [](M& m) { m.push(true); }},
    {0x89, [](M& m) { m.push(false); }},
    {'K', [](M& m) { m.push(int64_t{m.number<uint8_t>()}); }},
    {'M', [](M& m) { m.push(int64_t{m.number<uint16_t>()}); }},
    {'J', [](M& m) { m.push(int64_t{static_cast<int32_t>(m.number<uint32_t>())}); }},
    {'I', read_text_number}, {'L', read_text_number}, {0x8a, read_long}, {'G', read_double},
    {'U', read_text<uint8_t>}, {'T', read_text<uint32_t>},    // Python 2's strings
    {'C', read_text<uint8_t>}, {'B', read_text<uint32_t>}, {0x8e, read_text<uint64_t>},
    {0x8c, read_text<uint8_t>}, {'X', read_text<uint32_t>}, {0x8d, read_text<uint64_t>},
    {']', [](M& m) { m.push(PickleList{}); }},
    {')', [](M& m) { m.push(PickleList{}); }},
    {'l', [](M& m) { m.push(PickleList{m.pop_to_mark()}); }},
    {'t', [](M& m) { m.push(PickleList{m.pop_to_mark()}); }},
    {0x85, [](M& m) { m.push(PickleList{m.pop_many(1)}); }},
    {0x86, [](M& m) { m.push(PickleList{m.pop_many(2)}); }},
    {0x87, [](M& m) { m.push(PickleList{m.pop_many(3)}); }},
    {'a', [](M& m) { add_items(m, m.pop_many(1)); }},
    {'e', [](M& m) { add_items(m, m.pop_to_mark()); }},
    {'}', [](M& m) { m.push(PickleDict{}); }},
    {'d', [](M& m) { const auto ids = m.pop_to_mark(); m.push(PickleDict{}); add_pairs(m, ids); }},
    {'s', [](M& m) { add_pairs(m, m.pop_many(2)); }},
    {'u', [](M& m) { add_pairs(m, m.pop_to_mark()); }},
    {'p', [](M& m) { m.remember(place_in(m.line())); }},
    {'q', [](M& m) { m.remember(m.number<uint8_t>()); }},
    {'r', [](M& m) { m.remember(m.number<uint32_t>()); }},
    {0x94, [](M& m) { m.remember_next(); }},
    {'g', [](M& m) { m.recall(place_in(m.line())); }},
    {'h', [](M& m) { m.recall(m.number<uint8_t>()); }},
    {'j', [](M& m) { m.recall(m.number<uint32_t>()); }},
    {'c', read_global}, {0x93, stack_global}, {'R', call}, {'b', build},
};
// clang-format on

constexpr auto kByCode = [] {
  std::array<void (*)(Machine&), 256> table{};
  for (const Operation& operation : kOperations) table[operation.code] = operation.run;
  return table;
}();

}  // namespace

Pickle read_pickle(ByteView file) {
  Machine machine(file);
  for (uint8_t code = machine.number<uint8_t>(); code != '.'; code = machine.number<uint8_t>()) {
    if (!kByCode[code])
      throw Error("pickle operation {:#04x} is not supported; only plain data is", code);
    kByCode[code](machine);
  }
  return machine.result();
}

}  // namespace lockstep
