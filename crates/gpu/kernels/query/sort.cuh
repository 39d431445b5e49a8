// A merge sort of row numbers: tiles in shared memory, then merges of pairs of runs.
//
// `fetch` is the number of rows that are needed: runs are cut to it as they grow, so that a top-k
// reads everything once and merges little. Each thread of a merge finds its part of both runs by
// bisection (Green, McColl, Bader: GPU merge path, 2012).
#pragma once
#include "pelton/prelude.cuh"

static const u32 SORT_TILE = 1024;
static const u32 SORT_THREADS = 256;
// Rows that a thread merges: enough to pay for the bisection, with its comparison of two rows in
// each step.
static const u32 MERGE_ITEMS = 16;
static const u32 NO_INDEX = 0xffffffffu;

// Equal rows keep the order of their numbers, so that the result does not depend on the schedule.
template <class Less> __device__ inline bool sort_before(const Less& less, u32 a, u32 b) {
  if (a == NO_INDEX || b == NO_INDEX) return b == NO_INDEX && a != NO_INDEX;
  if (less(a, b)) return true;
  return a < b && !less(b, a);
}

// A block sorts SORT_TILE row numbers, by a bitonic network (Batcher 1968).
template <class Less> __device__ inline void sort_tile(const Less& less, u64 rows, u32* order) {
  __shared__ u32 tile[SORT_TILE];
  for (u64 first = (u64)blockIdx.x * SORT_TILE; first < rows; first += (u64)gridDim.x * SORT_TILE) {
    for (u32 i = threadIdx.x; i < SORT_TILE; i += blockDim.x) {
      tile[i] = first + i < rows ? (u32)(first + i) : NO_INDEX;
    }
    __syncthreads();
    for (u32 size = 2; size <= SORT_TILE; size *= 2) {
      for (u32 step = size / 2; step; step /= 2) {
        for (u32 i = threadIdx.x; i < SORT_TILE / 2; i += blockDim.x) {
          u32 a = 2 * step * (i / step) + i % step, b = a + step;
          bool ascending = (a & size) == 0;
          if (sort_before(less, tile[b], tile[a]) == ascending) {
            u32 swap = tile[a];
            tile[a] = tile[b];
            tile[b] = swap;
          }
        }
        __syncthreads();
      }
    }
    for (u32 i = threadIdx.x; i < SORT_TILE; i += blockDim.x) {
      if (first + i < rows) order[first + i] = tile[i];
    }
    __syncthreads();
  }
}

// Merges pairs of runs of `run` rows, to the first `fetch` rows of each result.
template <class Less>
__device__ inline void sort_merge(const Less& less, u64 rows, u64 run, u64 fetch, const u32* from, u32* to) {
  u64 threads = (u64)gridDim.x * blockDim.x;
  u64 parts = (rows + MERGE_ITEMS - 1) / MERGE_ITEMS;
  for (u64 part = (u64)blockIdx.x * blockDim.x + threadIdx.x; part < parts; part += threads) {
    u64 position = part * MERGE_ITEMS, pair = position / (2 * run) * (2 * run);
    u64 left_end = pair + run < rows ? pair + run : rows, right_end = pair + 2 * run < rows ? pair + 2 * run : rows;
    const u32 *a = from + pair, *b = from + left_end;
    u64 count_a = left_end - pair, count_b = right_end - left_end;
    count_a = count_a < fetch ? count_a : fetch;
    count_b = count_b < fetch ? count_b : fetch;
    u64 offset = position - pair, total = count_a + count_b;
    total = total < fetch ? total : fetch;
    if (offset >= total) continue;
    u64 low = offset > count_b ? offset - count_b : 0, high = offset < count_a ? offset : count_a;
    while (low < high) {
      u64 middle = (low + high) / 2;
      if (sort_before(less, b[offset - middle - 1], a[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    u64 i = low, j = offset - low;
    u64 end = offset + MERGE_ITEMS < total ? offset + MERGE_ITEMS : total;
    for (u64 k = offset; k < end; k++) {
      bool left = j == count_b || (i < count_a && !sort_before(less, b[j], a[i]));
      to[pair + k] = left ? a[i++] : b[j++];
    }
  }
}
