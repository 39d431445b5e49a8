// The barriers of a block: every thread that has not returned must come, and all to the same place
// in the source.
#pragma once

namespace pelton_sim {

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
    if (threads[order[i]].state == State::waits_for_block) make_ready(order[i]);
}

}  // namespace pelton_sim

// CUDA's functions take their place in the source, for messages and to see that threads meet.
#define PELTON_SIM_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(PELTON_SIM_PLACE) {
  pelton_sim::running_block->barrier(false, {"__syncthreads", file, line});
}
inline int __syncthreads_count(int predicate, PELTON_SIM_PLACE) {
  pelton_sim::Block* block = pelton_sim::running_block;
  block->barrier(predicate != 0, {"__syncthreads_count", file, line});
  return static_cast<int>(block->true_count_result);
}
inline int __syncthreads_or(int predicate, PELTON_SIM_PLACE) {
  pelton_sim::Block* block = pelton_sim::running_block;
  block->barrier(predicate != 0, {"__syncthreads_or", file, line});
  return block->true_count_result != 0;
}
inline int __syncthreads_and(int predicate, PELTON_SIM_PLACE) {
  pelton_sim::Block* block = pelton_sim::running_block;
  block->barrier(predicate != 0, {"__syncthreads_and", file, line});
  return block->true_count_result == block->waiting_result;
}
