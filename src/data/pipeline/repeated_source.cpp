#include "data/pipeline/repeated_source.h"

namespace lockstep {

void RepeatedSource::read(int64_t, EncodedExample& out) const {
  std::call_once(is_read_, [this] {  // when it throws, the next call tries again
    source_->read(index_, kept_);
    if (kept_.bytes.data() == kept_.storage.data()) return;
    kept_.storage.assign(kept_.bytes.begin(), kept_.bytes.end());
    kept_.bytes = kept_.storage;
  });
  show(kept_, out);
}

}  // namespace lockstep
