// The threads of one block, run one at a time on one thread of the operating system.
//
// A thread runs until it has to wait: for the other threads of its block, for lanes of its warp, or for a lock. Then the
// next one that can go on does. A thread that never waits costs no switch: the fiber that ran it takes the next thread.
// The order is always the same, so a failure repeats. What can't go on ends the launch with a message.
#pragma once

namespace pelton_sim {

constexpr u32 MAX_THREADS = 256;
constexpr u32 LANES = 32;
// A thread that asks this often for a lock while no other one gets anywhere will never get it.
constexpr u32 MAX_IDLE_SPINS = 1u << 24;

// What the runtime gives to a launch. `src/host/launch.rs` has the same layout.
struct Launch {
  u32 blocks;
  u32 threads;
  u32* next_block;    // the next block to run, shared by the threads of the operating system that run this launch
  u8* stacks;         // `MAX_THREADS` stacks of `stack_bytes`, `stack_stride` apart
  u64 stack_bytes;
  u64 stack_stride;
  char* message;      // what went wrong, with a zero at its end
  u64 message_bytes;
};

// Where in the source a thread waits. Two threads at the same barrier must be at the same place.
struct Place {
  const char* what;
  const char* file;
  int line;
  bool operator==(const Place& other) const {
    return line == other.line && same(what, other.what) && same(file, other.file);
  }
  // Mostly it is the very same text.
  static bool same(const char* a, const char* b) {
    return a == b || __builtin_strcmp(a, b) == 0;
  }
};

enum class State : u8 { not_started, running, ready, waits_for_block, waits_for_lanes, returned };

struct Fiber {
  Context context;
  Fiber* next_idle;
};

struct Thread {
  Fiber* fiber;
  State state;
  Place place;
  u32 mask;  // the lanes that a thread waits for
};

enum class Collective : u8 {
  sync, shuffle, ballot, any, all, match_any, add, min, max, bit_and, bit_or, bit_xor
};

// Lanes that wait for one another: those with the same mask.
struct Group {
  u32 mask;
  u32 arrived;
  Collective kind;
  Place place;
};

struct Warp {
  u32 returned;  // lanes that have returned, and those that the block does not have
  u32 group_count;
  Group groups[LANES];
  u64 values[LANES];
  u64 results[LANES];
  u32 sources[LANES];
};

struct Block {
  const Launch* launch;
  const char* kernel;
  void (*body)(const void*);
  const void* params;

  Context root;
  Fiber fibers[MAX_THREADS];
  u32 fiber_count;
  Fiber* idle;
  bool failed;

  u32 index;
  u32 current;
  u32 started;
  u32 live;
  Thread threads[MAX_THREADS];
  Warp warps[MAX_THREADS / LANES];

  // Threads that can go on, first come, first served.
  u16 ready[MAX_THREADS];
  u32 ready_first;
  u32 ready_count;

  // __syncthreads and its kin.
  u32 waiting;
  u32 true_count;
  u32 true_count_result;
  u32 waiting_result;
  u32 idle_spins;

  void reset(u32 block_index) {
    index = block_index;
    started = 0;
    live = launch->threads;
    ready_first = ready_count = 0;
    waiting = true_count = idle_spins = 0;
    for (u32 i = 0; i < launch->threads; i++) threads[i].state = State::not_started;
    for (u32 w = 0; w * LANES < launch->threads; w++) {
      u32 lanes = launch->threads - w * LANES;
      warps[w].returned = lanes >= LANES ? 0 : ~0u << lanes;
      warps[w].group_count = 0;
    }
  }

  void make_ready(u32 thread) {
    threads[thread].state = State::ready;
    ready[(ready_first + ready_count++) % MAX_THREADS] = static_cast<u16>(thread);
  }

  u32 take_ready() {
    u32 thread = ready[ready_first];
    ready_first = (ready_first + 1) % MAX_THREADS;
    ready_count--;
    threads[thread].state = State::running;
    return thread;
  }

  // Leaves the fiber `from`; goes on with a thread that is ready, or starts one, or ends the block if there is none.
  void leave(Fiber* from, bool start_first) {
    Fiber* to;
    if (ready_count > 0 && !(start_first && started < launch->threads)) {
      current = take_ready();
      to = threads[current].fiber;
    } else if (started < launch->threads) {
      to = idle;
      if (to != nullptr) idle = to->next_idle;
      else to = new_fiber();
    } else {
      if (live > 0) fail_deadlock();
      context_switch(from->context, root);
      return;
    }
    if (to != from) context_switch(from->context, to->context);
  }

  // The current thread waits; returns when it may go on.
  void wait(State state, bool start_first = false) {
    u32 me = current;
    if (state == State::ready) make_ready(me);
    else threads[me].state = state;
    leave(threads[me].fiber, start_first);
    current = me;
  }

  Fiber* new_fiber();
  void run_threads(Fiber* fiber);
  void return_from(u32 thread);

  // --- barriers of the block
  void barrier(bool predicate, Place place);
  void release_block();

  // --- collectives of a warp (warp.h)
  u64 collective(Collective kind, u32 mask, u64 value, u32 source, Place place);
  void complete(Warp& warp, u32 first_thread, u32 group);

  // --- failures
  [[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
  [[noreturn]] void fail_deadlock();
};

// The block that this thread of the operating system runs.
static thread_local Block* running_block = nullptr;

inline u32 thread_index() { return running_block->current; }

static void fiber_entry() {
  Block* block = running_block;
  context_begin(block->root);
  // The fiber that was made last is the one that begins.
  block->run_threads(&block->fibers[block->fiber_count - 1]);
}

inline Fiber* Block::new_fiber() {
  Fiber* fiber = &fibers[fiber_count];
  u8* stack = launch->stacks + fiber_count * launch->stack_stride;
  fiber_count++;
  context_prepare(fiber->context, stack, launch->stack_bytes, fiber_entry);
  return fiber;
}

// What a fiber does for ever: whenever it is switched to while it has no thread, there is one to start.
inline void Block::run_threads(Fiber* fiber) {
  for (;;) {
    u32 me = started++;
    current = me;
    idle_spins = 0;
    threads[me].fiber = fiber;
    threads[me].state = State::running;
    body(params);
    return_from(me);
    // Threads that wait for this one go first, so that few stacks are in use at a time.
    if (ready_count == 0 && started < launch->threads) continue;
    fiber->next_idle = idle;
    idle = fiber;
    leave(fiber, false);
  }
}

inline void Block::return_from(u32 me) {
  threads[me].state = State::returned;
  live--;
  idle_spins = 0;
  if (waiting > 0 && waiting == live) release_block();
  Warp& warp = warps[me / LANES];
  warp.returned |= 1u << (me % LANES);
  for (u32 g = warp.group_count; g-- > 0;) {
    Group& group = warp.groups[g];
    if (((group.arrived | warp.returned) & group.mask) == group.mask) complete(warp, me / LANES * LANES, g);
  }
}

inline void Block::barrier(bool predicate, Place place) {
  u32 me = current;
  threads[me].place = place;
  if (waiting > 0) {
    for (u32 i = 0; i < launch->threads; i++) {
      if (threads[i].state != State::waits_for_block) continue;
      const Place& other = threads[i].place;
      if (!(other == place))
        fail("a barrier that the block's threads meet at different places: thread %u waits in %s at %s:%d, thread %u in "
             "%s at %s:%d", i, other.what, other.file, other.line, me, place.what, place.file, place.line);
      break;
    }
  }
  waiting++;
  true_count += predicate;
  if (waiting == live) {
    threads[me].state = State::running;
    release_block();
    return;
  }
  wait(State::waits_for_block);
}

inline void Block::release_block() {
  true_count_result = true_count;
  waiting_result = waiting;
  waiting = true_count = idle_spins = 0;
  for (u32 i = 0; i < launch->threads; i++)
    if (threads[i].state == State::waits_for_block) make_ready(i);
}

inline void Block::fail(const char* format, ...) {
  char text[1536];
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  __builtin_va_end(arguments);
  snprintf(launch->message, launch->message_bytes, "kernel %s, block %u, thread %u (warp %u, lane %u): %s", kernel, index,
           current, current / LANES, current % LANES, text);
  failed = true;
  // The fibers are left as they are: nothing that they hold needs to be given back.
  Context abandoned;
  abandoned.fake_stack = nullptr;
  context_switch(abandoned, root);
  __builtin_unreachable();
}

inline void Block::fail_deadlock() {
  char text[1024];
  u64 used = 0;
  u32 shown = 0;
  text[0] = 0;
  for (u32 i = 0; i < launch->threads && used < sizeof text; i++) {
    const Thread& thread = threads[i];
    if (thread.state == State::returned) continue;
    // A thread at the same place as the one before it says nothing new.
    if (i > 0 && threads[i - 1].state == thread.state && threads[i - 1].place == thread.place) continue;
    if (++shown > 8) break;
    used += snprintf(text + used, sizeof text - used, "; thread %u waits in %s at %s:%d", i, thread.place.what,
                     thread.place.file, thread.place.line);
    if (thread.state == State::waits_for_lanes && used < sizeof text) {
      const Warp& warp = warps[i / LANES];
      for (u32 g = 0; g < warp.group_count; g++)
        if (warp.groups[g].mask == thread.mask)
          used += snprintf(text + used, sizeof text - used, " (mask %#x, missing lanes %#x)", thread.mask,
                           thread.mask & ~warp.groups[g].arrived & ~warp.returned);
    }
  }
  for (u32 i = 0; i < launch->threads; i++)
    if (threads[i].state != State::returned) {
      current = i;
      break;
    }
  fail("deadlock, no thread can go on%s", text);
}

// Runs blocks until none is left. 0, or 1 with the launch's message.
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
      // Nobody else need start another block.
      __atomic_store_n(launch->next_block, launch->blocks, __ATOMIC_RELAXED);
      break;
    }
  }
  running_block = nullptr;
#if defined(PELTON_SIM_ASAN)
  // Frames that were left behind; the stacks will be used again.
  for (u32 i = 0; i < block->fiber_count; i++)
    __asan_unpoison_memory_region(launch->stacks + i * launch->stack_stride, launch->stack_bytes);
#endif
  int failed = block->failed;
  free(block);
  return failed;
}

// Checks what the runtime gives against what the kernel expects, and copies it to where it is aligned.
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
