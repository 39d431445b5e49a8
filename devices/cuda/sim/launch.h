// Run of a launch: blocks one after the other, to the last.
#pragma once

namespace pelton_sim {

// Runs blocks to the last. Returns zero, or one with the launch's message.
inline int run(const Launch* launch, const char* kernel, void (*body)(const void*), const void* params) {
  Block* block = static_cast<Block*>(malloc(sizeof(Block)));
  if (block == nullptr) {
    snprintf(launch->message, launch->message_bytes, "kernel %s: no memory for the state of a block", kernel);
    return 1;
  }
  block->launch = launch;
  block->kernel = kernel;
  block->body = body;
  block->params = params;
  block->root.bottom = nullptr;
  block->root.fake_stack = nullptr;
  block->fiber_count = 0;
  block->idle = nullptr;
  block->failed = false;
  block->current = 0;
  running_block = block;
  for (;;) {
    u32 index = __atomic_fetch_add(launch->next_block, 1, __ATOMIC_RELAXED);
    if (index >= launch->blocks) break;
    block->reset(index);
    Fiber* first = block->idle;
    if (first != nullptr) block->idle = first->next_idle;
    else first = block->new_fiber();
    context_switch(block->root, first->context);
    if (block->failed) {
      // No other thread need start another block.
      __atomic_store_n(launch->next_block, launch->blocks, __ATOMIC_RELAXED);
      break;
    }
  }
  running_block = nullptr;
#if defined(PELTON_SIM_ASAN)
  // Frames of abandoned threads are cleared, as the stacks will be used again.
  for (u32 i = 0; i < block->fiber_count; i++)
    __asan_unpoison_memory_region(launch->stacks + i * launch->stack_stride, launch->stack_bytes);
#endif
  int failed = block->failed;
  free(block);
  return failed;
}

// Checks the runtime's parameters against those that the kernel expects, and copies them to an
// aligned place.
template <class Params>
inline int run_with(const void* params, u64 bytes, const Launch* launch, const char* kernel, void (*body)(const void*)) {
  if (bytes != sizeof(Params)) {
    snprintf(launch->message, launch->message_bytes, "kernel %s takes parameters of %llu bytes, and got %llu", kernel,
             static_cast<u64>(sizeof(Params)), bytes);
    return 1;
  }
  Params copy;
  __builtin_memcpy(&copy, params, sizeof copy);
  return run(launch, kernel, body, &copy);
}

}  // namespace pelton_sim
