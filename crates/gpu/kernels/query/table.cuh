// Tables that pipelines write: columns side by side, rows appended by any thread, strings copied to
// a heap of the table's.
//
// A table that is too small is not an error: rows beyond its capacity are counted, not written. The
// host then knows the size, and runs the pipeline again.
#pragma once
#include "query/hash.cuh"
#include "query/strings.cuh"

struct Table {
  u64 capacity;       // rows
  u64* counters;      // [0] rows, [1] bytes of strings; both may pass the capacity
  u8* heap;           // bytes of strings
  u64 heap_capacity;
  u32* heads;         // of a table with keys: for each bucket the first row of its chain, + 1
  u64 bucket_mask;
  u32* next;          // for each row the next row of its chain, + 1
  u32* marks;         // of a table from which matched rows are read: a bit a row
  u64 parts;          // passes in which a table that does not fit is filled and probed,
  u64 part;           // and the number of this pass
};

static const u64 NO_ROW = ~0ull;

// Returns whether keys of this hash are in the pass. Buckets use the low bits, passes the high
// ones.
__device__ inline bool in_part(u64 hash, u64 parts, u64 part) { return parts <= 1 || (hash >> 40) % parts == part; }

// Returns a row to write to; NO_ROW if none is left.
__device__ inline u64 table_append(const Table& t) {
  u64 row = atomicAdd(&t.counters[0], 1ull);
  return row < t.capacity ? row : NO_ROW;
}

// Returns a copy of a string that lives as long as its table.
__device__ __noinline__ inline Str heap_copy(u64* used, u8* heap, u64 capacity, const Str& s) {
  Str copy = s;
  if (s.length == 0) return copy;
  u64 at = atomicAdd(used, (u64)s.length);
  if (at > capacity || s.length > capacity - at) {
    copy.length = 0;
    return copy;
  }
  for (u32 i = 0; i < s.length; i++) heap[at + i] = s.data[i];
  copy.data = heap + at;
  return copy;
}

__device__ inline Str table_string(const Table& t, const Str& s) {
  return heap_copy(&t.counters[1], t.heap, t.heap_capacity, s);
}

// Returns the number of rows; a table that was too small is not read.
__device__ inline u64 table_rows(const Table& t) {
  u64 rows = t.counters[0];
  return rows < t.capacity ? rows : t.capacity;
}

__device__ inline void table_link(const Table& t, u64 row, u64 hash) {
  t.next[row] = atomicExch(&t.heads[hash & t.bucket_mask], (u32)(row + 1));
}

__device__ inline u64 table_first(const Table& t, u64 hash) { return t.heads[hash & t.bucket_mask]; }

__device__ inline void table_mark(const Table& t, u64 row) {
  u32 bit = 1u << (row & 31);
  // most rows of a dimension are matched many times: a read saves the atomic operation
  if ((t.marks[row >> 5] & bit) == 0) atomicOr(&t.marks[row >> 5], bit);
}

__device__ inline bool table_marked(const Table& t, u64 row) { return (t.marks[row >> 5] >> (row & 31)) & 1; }
