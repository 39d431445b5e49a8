// Operations of a warp's lanes together.
//
// A collective is complete when every lane of its mask has arrived or returned, as in CUDA from
// compute capability 7.0 on. The lane that completes it computes all results. A lane can't arrive
// at the next collective before it has read its own result, so one slot for each lane is enough.
#pragma once

namespace pelton_sim {

// Value from a lane that did not take part. CUDA leaves it undefined; this is easy to see.
constexpr u64 UNDEFINED = 0xA5A5A5A5A5A5A5A5ull;

inline u64 Block::collective(Collective kind, u32 mask, u64 value, u32 source, Place place) {
  u32 me = current, lane = me % LANES;
  Warp& warp = warps[me / LANES];
  if ((mask >> lane & 1) == 0)
    fail("%s at %s:%d names the lanes %#x, and not the one that calls it", place.what, place.file, place.line, mask);
  warp.values[lane] = value;
  warp.sources[lane] = source;
  u32 g = 0;
  while (g < warp.group_count && warp.groups[g].mask != mask) g++;
  if (g == warp.group_count) {
    warp.groups[warp.group_count++] = Group{mask, 0, kind, place};
  } else if (warp.groups[g].kind != kind || !(warp.groups[g].place == place)) {
    const Place& other = warp.groups[g].place;
    fail("lanes of the mask %#x meet at different places: some wait in %s at %s:%d, this one in %s at %s:%d", mask,
         other.what, other.file, other.line, place.what, place.file, place.line);
  }
  Group& group = warp.groups[g];
  group.arrived |= 1u << lane;
  if (((group.arrived | warp.returned) & mask) == mask) {
    complete(warp, me - lane, g);
  } else {
    threads[me].place = place;
    threads[me].mask = mask;
    wait(State::waits_for_lanes);
  }
  return warp.results[lane];
}

inline void Block::complete(Warp& warp, u32 first_thread, u32 g) {
  u32 arrived = warp.groups[g].arrived;
  Collective kind = warp.groups[g].kind;
  warp.groups[g] = warp.groups[--warp.group_count];
  idle_spins = 0;

  u64 combined = 0;
  bool first = true;
  for (u32 rest = arrived; rest != 0; rest &= rest - 1) {
    u32 lane = __builtin_ctz(rest);
    u64 value = warp.values[lane];
    switch (kind) {
      case Collective::ballot:
      case Collective::any:
      case Collective::all: combined |= static_cast<u64>(value != 0) << lane; break;
      case Collective::add: combined = static_cast<u32>(combined + value); break;
      case Collective::min: combined = first || value < combined ? value : combined; break;
      case Collective::max: combined = first || value > combined ? value : combined; break;
      case Collective::bit_and: combined = first ? value : combined & value; break;
      case Collective::bit_or: combined |= value; break;
      case Collective::bit_xor: combined ^= value; break;
      case Collective::sync:
      case Collective::shuffle:
      case Collective::match_any: break;
    }
    first = false;
  }
  if (kind == Collective::any) combined = combined != 0;
  if (kind == Collective::all) combined = combined == arrived;

  for (u32 rest = arrived; rest != 0; rest &= rest - 1) {
    u32 lane = __builtin_ctz(rest);
    u64 result = combined;
    if (kind == Collective::shuffle) {
      u32 source = warp.sources[lane];
      result = arrived >> source & 1 ? warp.values[source] : UNDEFINED;
    } else if (kind == Collective::match_any) {
      result = 0;
      for (u32 others = arrived; others != 0; others &= others - 1) {
        u32 other = __builtin_ctz(others);
        if (warp.values[other] == warp.values[lane]) result |= 1ull << other;
      }
    }
    warp.results[lane] = result;
    if (threads[first_thread + lane].state == State::waits_for_lanes) make_ready(first_thread + lane);
  }
}

}  // namespace pelton_sim
