// Copies a column out, row by row, as generated kernels read it.
#include "pelton/prelude.cuh"

#include "pages/cursor.cuh"

struct CopyParams {
  const Column* columns;
  const Tile* tiles;
  // For each row of the row group, whether it is not wanted (0), null, or a value (2).
  u8* state;
  // The value's bits, or the length of bytes.
  u64* low;
  u64* high;
  // The first `stride` bytes of a value.
  u8* bytes;
  // Rows with a dictionary index, and those for which the dictionary has another value.
  u32* coded;
  u32* different;
  u32 stride;
  u32 tile_count;
  u32 column;
  u32 kind;
};

enum Kind : u32 { KIND_BOOL, KIND_I64, KIND_I128, KIND_F32, KIND_F64, KIND_BYTES };

struct Value {
  u64 low;
  u64 high;
  const u8* bytes;
};

template <class Get>
__device__ Value value_of(u32 kind, Get get) {
  switch (kind) {
    case KIND_I64: return Value{u64(get.number()), 0, nullptr};
    case KIND_I128: {
      const i128 value = get.wide();
      return Value{u64(value), u64(u128(value) >> 64), nullptr};
    }
    case KIND_F32: return Value{__float_as_uint(get.single()), 0, nullptr};
    case KIND_F64: return Value{u64(__double_as_longlong(get.twice())), 0, nullptr};
    default: {
      const Str value = get.str();
      return Value{value.length, 0, value.data};
    }
  }
}

struct OfRow {
  Cursor& cursor;
  u64 row;
  __device__ i64 number() { return cursor.i64_at(row); }
  __device__ i128 wide() { return cursor.i128_at(row); }
  __device__ f32 single() { return cursor.f32_at(row); }
  __device__ f64 twice() { return cursor.f64_at(row); }
  __device__ Str str() { return cursor.str_at(row); }
};

struct OfCode {
  Dictionary dictionary;
  u32 code;
  __device__ i64 number() { return dictionary.i64_at(code); }
  __device__ i128 wide() { return dictionary.i128_at(code); }
  __device__ f32 single() { return dictionary.f32_at(code); }
  __device__ f64 twice() { return dictionary.f64_at(code); }
  __device__ Str str() { return dictionary.str_at(code); }
};

__device__ bool same(const Value& a, const Value& b) {
  if (a.low != b.low || a.high != b.high) return false;
  for (u64 index = 0; a.bytes != nullptr && index < a.low; ++index) {
    if (a.bytes[index] != b.bytes[index]) return false;
  }
  return true;
}

PELTON_KERNEL(copy_out, CopyParams, p) {
  Cursor cursor(p.columns + p.column);
  for (u32 number = blockIdx.x; number < p.tile_count; number += gridDim.x) {
    const Tile tile = p.tiles[number];
    for (u32 index = threadIdx.x; index < tile.rows; index += blockDim.x) {
      const u64 row = tile.first_row + index;
      if (!cursor.valid(row)) {
        p.state[row] = 1;
        continue;
      }
      p.state[row] = 2;
      if (p.kind == KIND_BOOL) {
        p.low[row] = cursor.bool_at(row);
        continue;
      }
      const Value value = value_of(p.kind, OfRow{cursor, row});
      p.low[row] = value.low;
      p.high[row] = value.high;
      if (p.kind == KIND_BYTES) {
        for (u64 at = 0; at < min(value.low, u64(p.stride)); ++at) p.bytes[row * p.stride + at] = value.bytes[at];
      }
      if (!cursor.coded(row)) continue;
      atomicAdd(p.coded, 1u);
      const Dictionary dictionary(p.columns + p.column);
      const u32 code = cursor.code(row);
      if (code >= dictionary.size()) continue;
      if (!same(value, value_of(p.kind, OfCode{dictionary, code}))) atomicAdd(p.different, 1u);
    }
  }
}
