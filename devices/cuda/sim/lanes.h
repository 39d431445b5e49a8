// CUDA's functions on the lanes of a warp, each one a collective of warp.h.
#pragma once

namespace pelton_sim {
inline u64 meet(Collective kind, u32 mask, u64 value, const char* what, const char* file, int line) {
  return running_block->collective(kind, mask, value, 0, {what, file, line});
}
}  // namespace pelton_sim

inline void __syncwarp(u32 mask = 0xFFFFFFFFu, PELTON_SIM_PLACE) {
  pelton_sim::meet(pelton_sim::Collective::sync, mask, 0, "__syncwarp", file, line);
}
inline u32 __ballot_sync(u32 mask, int predicate, PELTON_SIM_PLACE) {
  return static_cast<u32>(pelton_sim::meet(pelton_sim::Collective::ballot, mask, predicate != 0, "__ballot_sync", file, line));
}
inline int __any_sync(u32 mask, int predicate, PELTON_SIM_PLACE) {
  return static_cast<int>(pelton_sim::meet(pelton_sim::Collective::any, mask, predicate != 0, "__any_sync", file, line));
}
inline int __all_sync(u32 mask, int predicate, PELTON_SIM_PLACE) {
  return static_cast<int>(pelton_sim::meet(pelton_sim::Collective::all, mask, predicate != 0, "__all_sync", file, line));
}

#define PELTON_SIM_REDUCE(name, kind)                                                                       \
  inline u32 name(u32 mask, u32 value, PELTON_SIM_PLACE) {                                                  \
    return static_cast<u32>(pelton_sim::meet(pelton_sim::Collective::kind, mask, value, #name, file, line)); \
  }
PELTON_SIM_REDUCE(__reduce_add_sync, add)
PELTON_SIM_REDUCE(__reduce_min_sync, min)
PELTON_SIM_REDUCE(__reduce_max_sync, max)
PELTON_SIM_REDUCE(__reduce_and_sync, bit_and)
PELTON_SIM_REDUCE(__reduce_or_sync, bit_or)
PELTON_SIM_REDUCE(__reduce_xor_sync, bit_xor)
#undef PELTON_SIM_REDUCE

namespace pelton_sim {
// Returns the lane that a shuffle reads: the lane itself where CUDA keeps the value.
inline u32 shuffle_from(u32 lane, int source, int width) { return (lane & ~(width - 1u)) | (source & (width - 1u)); }
inline u32 shuffle_up(u32 lane, u32 by, int width) { return by > (lane & (width - 1u)) ? lane : lane - by; }
inline u32 shuffle_down(u32 lane, u32 by, int width) {
  u32 segment_end = (lane | (width - 1u)) + 1;
  return by < segment_end - lane ? lane + by : lane;
}
inline u32 shuffle_xor(u32 lane, int by, int width) {
  u32 other = (lane ^ by) & (LANES - 1);
  // lanes of earlier segments can be read, lanes of later ones not
  return other / width > lane / width ? lane : other;
}
template <class T>
inline T shuffle(u32 mask, T value, u32 source, const char* what, const char* file, int line) {
  u64 bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = running_block->collective(Collective::shuffle, mask, bits, source, {what, file, line});
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
}  // namespace pelton_sim

// An overload for each type, as in CUDA: a template would accept types that NVRTC rejects.
#define PELTON_SIM_SHUFFLES(T)                                                                                          \
  inline T __shfl_sync(u32 mask, T value, int source, int width = 32, PELTON_SIM_PLACE) {                               \
    u32 from = pelton_sim::shuffle_from(pelton_sim::thread_index() % 32, source, width);                                \
    return pelton_sim::shuffle(mask, value, from, "__shfl_sync", file, line);                                           \
  }                                                                                                                     \
  inline T __shfl_up_sync(u32 mask, T value, u32 by, int width = 32, PELTON_SIM_PLACE) {                                \
    u32 from = pelton_sim::shuffle_up(pelton_sim::thread_index() % 32, by, width);                                      \
    return pelton_sim::shuffle(mask, value, from, "__shfl_up_sync", file, line);                                        \
  }                                                                                                                     \
  inline T __shfl_down_sync(u32 mask, T value, u32 by, int width = 32, PELTON_SIM_PLACE) {                              \
    u32 from = pelton_sim::shuffle_down(pelton_sim::thread_index() % 32, by, width);                                    \
    return pelton_sim::shuffle(mask, value, from, "__shfl_down_sync", file, line);                                      \
  }                                                                                                                     \
  inline T __shfl_xor_sync(u32 mask, T value, int by, int width = 32, PELTON_SIM_PLACE) {                               \
    u32 from = pelton_sim::shuffle_xor(pelton_sim::thread_index() % 32, by, width);                                     \
    return pelton_sim::shuffle(mask, value, from, "__shfl_xor_sync", file, line);                                       \
  }
PELTON_SIM_SHUFFLES(int)
PELTON_SIM_SHUFFLES(unsigned int)
PELTON_SIM_SHUFFLES(long)
PELTON_SIM_SHUFFLES(unsigned long)
PELTON_SIM_SHUFFLES(long long)
PELTON_SIM_SHUFFLES(unsigned long long)
PELTON_SIM_SHUFFLES(float)
PELTON_SIM_SHUFFLES(double)
#undef PELTON_SIM_SHUFFLES

#define PELTON_SIM_MATCH(T)                                                                                             \
  inline u32 __match_any_sync(u32 mask, T value, PELTON_SIM_PLACE) {                                                    \
    u64 bits = 0;                                                                                                       \
    __builtin_memcpy(&bits, &value, sizeof value);                                                                      \
    return static_cast<u32>(                                                                                            \
        pelton_sim::meet(pelton_sim::Collective::match_any, mask, bits, "__match_any_sync", file, line));               \
  }
PELTON_SIM_MATCH(int)
PELTON_SIM_MATCH(unsigned int)
PELTON_SIM_MATCH(long)
PELTON_SIM_MATCH(unsigned long)
PELTON_SIM_MATCH(long long)
PELTON_SIM_MATCH(unsigned long long)
PELTON_SIM_MATCH(float)
PELTON_SIM_MATCH(double)
#undef PELTON_SIM_MATCH

// Between two attempts at a lock: its holder must get to run.
inline void pelton_relax(PELTON_SIM_PLACE) {
  pelton_sim::Block* block = pelton_sim::running_block;
  block->threads[block->current].place = {"pelton_relax", file, line};
  if (++block->idle_spins > pelton_sim::MAX_IDLE_SPINS)
    block->fail("no thread gets anywhere: this one waits for a lock at %s:%d", file, line);
  block->wait(pelton_sim::State::ready, true);
}
