// Report of a launch that can't go on.
#pragma once

namespace pelton_sim {

inline void Block::fail(const char* format, ...) {
  char text[1536];
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  __builtin_va_end(arguments);
  snprintf(launch->message, launch->message_bytes, "kernel %s, block %u, thread %u (warp %u, lane %u): %s", kernel, index,
           current, current / LANES, current % LANES, text);
  failed = true;
  // The fibers are abandoned: they hold nothing that has to be released.
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
    // A thread at the same place as the one before adds nothing.
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

}  // namespace pelton_sim
