#include "data/pipeline/cached_source.h"

namespace lockstep {
void CachedSource::read(int64_t index, EncodedExample& out) const {
  std::atomic<const EncodedExample*>& place = kept_[static_cast<size_t>(index)];
  if (const EncodedExample* kept = place.load()) return show(*kept, out);
  source_->read(index, out);
  auto copy = std::make_unique<EncodedExample>();
  show(out, *copy);
  copy->storage.assign(out.bytes.begin(), out.bytes.end());
  copy->bytes = copy->storage;
  const EncodedExample* nothing = nullptr;
  if (place.compare_exchange_strong(nothing, copy.get())) static_cast<void>(copy.release());
}

}  // namespace lockstep
