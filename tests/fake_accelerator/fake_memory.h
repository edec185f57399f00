// fake_memory.h: the memory of the fake accelerator.
//
// It is mapped twice. Device addresses belong to a mapping that nobody may read or write, so that
// host code that touches them crashes; kernels use the other one, through kernel_address().
#pragma once

#include <cstddef>

namespace lockstep::fake {

class FakeCapture;
class FakeStream;

// Contents are NaN. The block belongs to the stream: when it is freed, the next one of that size on
// that stream takes its place, as a caching allocator does it. Throws when a limit is reached.
void* allocate_device(size_t bytes, FakeStream& stream);
// Queued work of the stream may still use it; after that it is NaN.
void free_device(void* address);
// What was allocated on streams while they were captured belongs to that graph, and no other work
// gets it, until the graph is gone.
void free_pool(const FakeCapture* graph);
// Another stream uses it, too: it is not free before that one is done with what it has queued by
// the time of free_device().
void also_used_by(void* address, FakeStream& stream);

bool is_device_address(const void* address);
void* kernel_address(const void* device_address);

// Host memory that copies may use while the host goes on.
void* allocate_pinned(size_t bytes);
void free_pinned(void* address);  // becomes NaN once the streams that used it are done
bool is_pinned(const void* address);
void pinned_used_by(const void* address, FakeStream& stream);

}  // namespace lockstep::fake
