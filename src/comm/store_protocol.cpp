#include "comm/store_protocol.h"

#include <cstring>
#include <utility>

namespace lockstep {
namespace {

constexpr std::string_view kMagic = "lockstep store 1";

class Writer {
 public:
  explicit Writer(uint8_t kind) : bytes_(kFrameHeaderBytes + 1) { bytes_.back() = std::byte{kind}; }

  void number(uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    const auto* data = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), data, data + value.size());
  }
  void list(const std::vector<std::string>& values) {
    number(static_cast<uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  Frame frame() {
    const auto length = static_cast<uint32_t>(bytes_.size() - kFrameHeaderBytes);
    for (int i = 0; i < 4; ++i) bytes_[i] = static_cast<std::byte>(length >> (8 * i));
    return std::move(bytes_);
  }

 private:
  Frame bytes_;
};

// Once something is missing, everything further is empty and complete() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> body) : rest_(body) {}

  uint8_t kind() { return has(1) ? static_cast<uint8_t>(take(1)[0]) : 255; }
  uint32_t number() { return has(4) ? frame_length(take(4)) : 0; }
  std::string text() {
    const uint32_t length = number();
    if (!has(length)) return {};
    const auto part = take(length);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  std::vector<std::string> list() {
    std::vector<std::string> values;
    for (uint32_t left = number(); left > 0 && valid_; --left) values.push_back(text());
    return values;
  }
  bool complete() const { return valid_ && rest_.empty(); }

 private:
  bool has(size_t count) { return valid_ = valid_ && rest_.size() >= count; }
  std::span<const std::byte> take(size_t count) {
    const auto part = rest_.first(count);
    rest_ = rest_.subspan(count);
    return part;
  }

  std::span<const std::byte> rest_;
  bool valid_ = true;
};

void write(Writer& writer, const HelloRequest& hello) {
  writer.text(kMagic);
  writer.text(hello.token);
  writer.text(hello.member);
}
void write(Writer& writer, const SetRequest& set) {
  writer.text(set.key);
  writer.text(set.value);
}
void write(Writer& writer, const GetRequest& get) {
  writer.list(get.keys);
  writer.number(get.milliseconds);
}

// The readers of the kinds, in the order of the variant.
std::optional<StoreRequest> read_hello(Reader& reader) {
  if (reader.text() != kMagic) return {};
  HelloRequest hello;
  hello.token = reader.text();
  hello.member = reader.text();
  return hello;
}
std::optional<StoreRequest> read_set(Reader& reader) {
  SetRequest set;
  set.key = reader.text();
  set.value = reader.text();
  return set;
}
std::optional<StoreRequest> read_get(Reader& reader) {
  GetRequest get;
  get.keys = reader.list();
  get.milliseconds = reader.number();
  return get;
}
constexpr std::optional<StoreRequest> (*kReaders[])(Reader&) = {read_hello, read_set, read_get};
static_assert(std::size(kReaders) == std::variant_size_v<StoreRequest>);

}  // namespace

Frame encode(const StoreRequest& request) {
  Writer writer(static_cast<uint8_t>(request.index()));
  std::visit([&](const auto& fields) { write(writer, fields); }, request);
  return writer.frame();
}

Frame encode(const StoreReply& reply) {
  Writer writer(reply.complete ? 0 : 1);
  writer.list(reply.texts);
  return writer.frame();
}

std::optional<StoreRequest> decode_request(std::span<const std::byte> body) {
  Reader reader(body);
  const uint8_t kind = reader.kind();
  if (kind >= std::size(kReaders)) return {};
  std::optional<StoreRequest> request = kReaders[kind](reader);
  return reader.complete() ? std::move(request) : std::nullopt;
}

std::optional<StoreReply> decode_reply(std::span<const std::byte> body) {
  Reader reader(body);
  const uint8_t kind = reader.kind();
  StoreReply reply{.complete = kind == 0, .texts = reader.list()};
  return kind <= 1 && reader.complete() ? std::optional(std::move(reply)) : std::nullopt;
}

uint32_t frame_length(std::span<const std::byte> header) {
  uint32_t length = 0;
  for (int i = 0; i < 4; ++i) length |= std::to_integer<uint32_t>(header[i]) << (8 * i);
  return length;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < b.size(); ++i) {
    const auto left = static_cast<unsigned char>(i < a.size() ? a[i] : 0);
    difference |= left ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace lockstep
