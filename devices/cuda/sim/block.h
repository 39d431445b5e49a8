// The threads of one block, run one at a time on one thread of the operating system.
//
// A thread runs until it has to wait: for the other threads of its block, for lanes of its warp, or
// for a lock. Then the next runnable thread runs. A thread that never waits costs no switch: its
// fiber takes the next thread. The order is that of the launch's seed, and the same each time, so a
// failure repeats. If no thread is runnable, the launch ends with a message.
#pragma once

namespace pelton_sim {

constexpr u32 MAX_THREADS = 256;
constexpr u32 LANES = 32;
// Attempts at a lock, without progress of any other thread, after which a thread will never get it.
constexpr u32 MAX_IDLE_SPINS = 1u << 24;

// The runtime's arguments of a launch. `src/host/library.rs` has the same layout.
struct Launch {
  u32 blocks;
  u32 threads;
  u32* next_block;    // the next block to run, shared by the threads of the operating system that run this launch
  u8* stacks;         // `MAX_THREADS` stacks of `stack_bytes`, `stack_stride` apart
  u64 stack_bytes;
  u64 stack_stride;
  char* message;      // the error, with a zero at its end
  u64 message_bytes;
  u64 order;          // ORDER_FORWARD, ORDER_BACKWARD, or the seed of an order by lot
};

constexpr u64 ORDER_FORWARD = 0;
constexpr u64 ORDER_BACKWARD = 1;

// Place in the source where a thread waits. Two threads at the same barrier must be at the same
// place.
struct Place {
  const char* what;
  const char* file;
  int line;
  bool operator==(const Place& other) const {
    return line == other.line && same(what, other.what) && same(file, other.file);
  }
  // mostly it is the very same text
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

// Lanes that wait for each other, all with the same mask.
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
  u64 random;
  u16 order[MAX_THREADS];  // in which threads start
  Thread threads[MAX_THREADS];
  Warp warps[MAX_THREADS / LANES];

  // Runnable threads, first come, first served.
  u16 ready[MAX_THREADS];
  u32 ready_first;
  u32 ready_count;

  // State of __syncthreads and related barriers.
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
    u32 count = launch->threads;
    for (u32 i = 0; i < count; i++) {
      threads[i].state = State::not_started;
      order[i] = static_cast<u16>(launch->order == ORDER_BACKWARD ? count - 1 - i : i);
    }
    random = launch->order ^ (static_cast<u64>(block_index) << 32);
    if (by_lot())
      for (u32 i = count; i > 1; i--) swap(order[i - 1], order[draw(i)]);
    for (u32 w = 0; w * LANES < launch->threads; w++) {
      u32 lanes = launch->threads - w * LANES;
      warps[w].returned = lanes >= LANES ? 0 : ~0u << lanes;
      warps[w].group_count = 0;
    }
  }

  bool by_lot() const { return launch->order > ORDER_BACKWARD; }

  // Returns a random number below `below`. SplitMix64 (Steele, Lea, Flood 2014).
  u32 draw(u32 below) {
    u64 x = random += 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return static_cast<u32>((x ^ x >> 31) % below);
  }

  static void swap(u16& a, u16& b) {
    u16 old = a;
    a = b;
    b = old;
  }

  void make_ready(u32 thread) {
    threads[thread].state = State::ready;
    ready[(ready_first + ready_count++) % MAX_THREADS] = static_cast<u16>(thread);
  }

  u32 take_ready() {
    if (by_lot()) swap(ready[ready_first], ready[(ready_first + draw(ready_count)) % MAX_THREADS]);
    u32 thread = ready[ready_first];
    ready_first = (ready_first + 1) % MAX_THREADS;
    ready_count--;
    threads[thread].state = State::running;
    return thread;
  }

  // Leaves the fiber `from`. Goes on with a runnable thread, or starts one, or ends the block if
  // there is none.
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

  // Lets the current thread wait; returns when it may go on.
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

// The current block of this thread of the operating system.
static thread_local Block* running_block = nullptr;

inline u32 thread_index() { return running_block->current; }

static void fiber_entry() {
  Block* block = running_block;
  context_begin(block->root);
  // The newest fiber begins.
  block->run_threads(&block->fibers[block->fiber_count - 1]);
}

inline Fiber* Block::new_fiber() {
  Fiber* fiber = &fibers[fiber_count];
  u8* stack = launch->stacks + fiber_count * launch->stack_stride;
  fiber_count++;
  context_prepare(fiber->context, stack, launch->stack_bytes, fiber_entry);
  return fiber;
}

// Loop of a fiber: whenever it is switched to without a thread, there is one to start.
inline void Block::run_threads(Fiber* fiber) {
  for (;;) {
    u32 me = order[started++];
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

}  // namespace pelton_sim
