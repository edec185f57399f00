#include "data/formats/cifar.h"

#include "base/error.h"
#include "data/formats/pickle.h"

namespace lockstep {
namespace {

constexpr size_t kPlane = 32 * 32, kPixels = 3 * kPlane, kRecord = 1 + kPixels;

void add_image(ByteView planes, uint8_t label, LabelledImages& images) {
  images.labels.push_back(label);
  for (size_t i = 0; i < kPlane; ++i) {
    for (size_t channel = 0; channel < 3; ++channel) {
      images.pixels.push_back(planes[channel * kPlane + i]);
    }
  }
}

// Keys are texts of Python 2 or byte strings of Python 3: the same to this reader.
PickleId value_of(const Pickle& pickle, std::string_view key) {
  const auto* dict = pickle.as<PickleDict>(pickle.root);
  if (!dict) throw Error("not a pickled dictionary");
  for (const auto& [name, value] : dict->items) {
    const auto* text = pickle.as<std::string_view>(name);
    if (text && *text == key) return value;
  }
  throw Error("the dictionary has no key '{}'", key);
}

// A NumPy array is a call of _reconstruct that is then told (version, shape, type, order, bytes).
std::string_view bytes_of_array(const Pickle& pickle, PickleId id) {
  const auto* array = pickle.as<PickleCall>(id);
  const auto* state = array && array->state ? pickle.as<PickleList>(*array->state) : nullptr;
  if (!state || state->items.size() != 5) throw Error("'data' is not a NumPy array");
  const auto* type = pickle.as<PickleCall>(state->items[2]);
  const auto* type_arguments = type ? pickle.as<PickleList>(type->arguments) : nullptr;
  const auto* type_name = type_arguments && !type_arguments->items.empty()
                              ? pickle.as<std::string_view>(type_arguments->items[0])
                              : nullptr;
  if (!type_name || *type_name != "u1") throw Error("'data' is not an array of bytes");
  const auto* fortran = pickle.as<bool>(state->items[3]);
  if (!fortran || *fortran) throw Error("'data' is not in row-major order");
  const auto* bytes = pickle.as<std::string_view>(state->items[4]);
  if (!bytes) throw Error("'data' has no bytes");
  return *bytes;
}

uint8_t label_in(const Pickle& pickle, PickleId id) {
  const auto* label = pickle.as<int64_t>(id);
  if (!label || *label < 0 || *label > 255) throw Error("'labels' has a value that is not a class");
  return static_cast<uint8_t>(*label);
}

}  // namespace

void add_cifar_binary(ByteView file, LabelledImages& images) {
  if (file.empty() || file.size() % kRecord != 0) {
    throw Error("size of {} bytes is not a multiple of {} bytes per image", file.size(), kRecord);
  }
  for (size_t at = 0; at < file.size(); at += kRecord) {
    add_image(file.subspan(at + 1, kPixels), file[at], images);
  }
}

void add_cifar_pickle(ByteView file, LabelledImages& images) {
  const Pickle pickle = read_pickle(file);
  const auto* labels = pickle.as<PickleList>(value_of(pickle, "labels"));
  if (!labels) throw Error("'labels' is not a list");
  const ByteView data = bytes_of(bytes_of_array(pickle, value_of(pickle, "data")));
  if (data.size() != labels->items.size() * kPixels) {
    throw Error("{} labels and {} bytes of images do not match", labels->items.size(), data.size());
  }
  for (size_t i = 0; i < labels->items.size(); ++i) {
    add_image(data.subspan(i * kPixels, kPixels), label_in(pickle, labels->items[i]), images);
  }
}

}  // namespace lockstep
