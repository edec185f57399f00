// fnv1a.h: the 64-bit FNV-1a hash, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep {

class Fnv1a {
 public:
  void add(uint64_t number) { hash_ = (hash_ ^ number) * 0x100000001b3u; }
  void add(std::string_view bytes) {
    for (const char byte : bytes) add(uint64_t{static_cast<unsigned char>(byte)});
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325u;
};

inline uint64_t fnv1a(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.value();
}

}  // namespace lockstep
