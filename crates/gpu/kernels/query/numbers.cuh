// Numbers with the CPU engine's rules: integers and decimals are checked, floats have a total
// order.
#pragma once
#include "query/codes.cuh"

// Returns a float's key in sorts: -0 before 0, and every NaN behind all numbers.
__device__ inline i64 float_place(f64 x) {
  if (x != x) return 0x7FF8000000000000ll;
  i64 bits = load_unaligned<i64>(&x);
  return bits ^ (i64)((u64)(bits >> 63) >> 1);
}

// Compares by the order of comparisons: zeros are equal, and so are NaNs, which are greater than
// all numbers.
__device__ inline int float_compare(f64 a, f64 b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a == b) return 0;
  return (a != a) - (b != b);
}

// One bit pattern for all values that `float_compare` calls equal.
__device__ inline u64 float_key(f64 x) {
  if (x != x) return 0x7FF8000000000000ull;
  return x == 0 ? 0 : load_unaligned<u64>(&x);
}

__device__ inline i128 decimal_add(i128 a, i128 b, Status* status) {
  i128 sum = (i128)((u128)a + (u128)b);
  if (((a ^ sum) & (b ^ sum)) < 0) query_fail(status, QUERY_OVERFLOW);
  return sum;
}

__device__ inline i128 decimal_subtract(i128 a, i128 b, Status* status) {
  i128 difference = (i128)((u128)a - (u128)b);
  if (((a ^ b) & (a ^ difference)) < 0) query_fail(status, QUERY_OVERFLOW);
  return difference;
}

// Multiplies magnitudes by halves; a part above the 127th bit is an overflow.
__device__ __noinline__ inline i128 decimal_multiply_wide(i128 a, i128 b, Status* status) {
  bool negative = (a < 0) != (b < 0);
  u128 x = a < 0 ? (u128)0 - (u128)a : (u128)a, y = b < 0 ? (u128)0 - (u128)b : (u128)b;
  u64 x1 = (u64)(x >> 64), x0 = (u64)x, y1 = (u64)(y >> 64), y0 = (u64)y;
  u128 low = (u128)x0 * y0, cross = (u128)x1 * y0 + (u128)x0 * y1;
  bool wide = (x1 && y1) || (u64)(cross >> 64);
  u128 product = low + (cross << 64);
  wide = wide || product < low || (product >> 127);
  if (wide) query_fail(status, QUERY_OVERFLOW);
  return negative ? (i128)((u128)0 - product) : (i128)product;
}

__device__ inline i128 decimal_multiply(i128 a, i128 b, Status* status) {
  i64 small_a = (i64)a, small_b = (i64)b;
  return small_a == a && small_b == b ? (i128)small_a * small_b : decimal_multiply_wide(a, b, status);
}

__device__ __noinline__ inline i128 decimal_divide(i128 a, i128 b, Status* status) {
  if (b == 0) {
    query_fail(status, QUERY_ZERO_DIVISION);
    return 0;
  }
  if (b == -1) return decimal_subtract(0, a, status);
  i64 small_a = (i64)a, small_b = (i64)b;
  if (small_a == a && small_b == b) return small_a / small_b;
  return a / b;
}

// Divides, rounded to the nearest, halves away from zero.
__device__ __noinline__ inline i128 decimal_quotient(i128 a, i128 b, Status* status) {
  i128 quotient = decimal_divide(a, b, status);
  if (b == 0) return 0;
  i128 rest = (i128)((u128)a - (u128)quotient * (u128)b);
  u128 left = rest < 0 ? (u128)0 - (u128)rest : (u128)rest, whole = b < 0 ? (u128)0 - (u128)b : (u128)b;
  if (left < whole - left) return quotient;
  return (a < 0) == (b < 0) ? quotient + 1 : quotient - 1;
}

__device__ __noinline__ inline i128 decimal_remainder(i128 a, i128 b, Status* status) {
  if (b == 0) {
    query_fail(status, QUERY_ZERO_DIVISION);
    return 0;
  }
  return b == -1 ? 0 : a % b;
}

// Converts a larger scale to a smaller one: `divisor` is a power of ten, halves are rounded away
// from zero.
__device__ __noinline__ inline i128 decimal_round(i128 x, i128 divisor) {
  i128 quotient = x / divisor, rest = x % divisor, half = divisor / 2;
  if (x >= 0) return rest >= half ? quotient + 1 : quotient;
  return rest <= -half ? quotient - 1 : quotient;
}

__device__ inline i128 decimal_fits(i128 x, i128 bound, Status* status) {
  if (x > bound || x < -bound) query_fail(status, QUERY_CAST);
  return x;
}

// Checks a value against the digits that a file's decimal column declares.
template <class T> __device__ inline T decimal_declared(T x, T bound, Status* status) {
  if (x > bound || x < -bound) query_fail(status, QUERY_PRECISION);
  return x;
}

// C++ leaves casts of 128 bits to floats to the compiler. This is exact in each half and rounds
// once for the sum, as Rust's `as f64` does for values of 64 bits; for larger ones the high half
// decides.
__device__ __noinline__ inline f64 decimal_to_float(i128 x) {
  bool negative = x < 0;
  u128 magnitude = negative ? (u128)0 - (u128)x : (u128)x;
  u64 high = (u64)(magnitude >> 64), low = (u64)magnitude;
  f64 value;
  if (high == 0) {
    value = (f64)low;
  } else {
    // The 64 leading bits, with a sticky bit for the rest, round as the whole number would.
    int shift = 64 - __clzll((i64)high);
    u64 lead = shift == 64 ? high : (high << (64 - shift)) | (low >> shift);
    u64 rest = shift == 64 ? low : low << (64 - shift);
    value = (f64)(lead | (rest != 0));
    for (int i = 0; i < shift; i++) value *= 2;
  }
  return negative ? -value : value;
}

__device__ __noinline__ inline i128 float_to_decimal(f64 x, Status* status) {
  // round() rounds halves away from zero, as Rust's does
  f64 rounded = round(x);
  if (!(rounded >= -1.7014118346046923e38 && rounded < 1.7014118346046923e38)) {
    query_fail(status, QUERY_CAST);
    return 0;
  }
  return (i128)rounded;
}

template <class T> __device__ inline T integer_add(T a, T b, Status* status) {
  T sum = (T)((u64)a + (u64)b);
  if ((T)-1 < 0 ? ((a ^ sum) & (b ^ sum)) < 0 : sum < a) query_fail(status, QUERY_OVERFLOW);
  return sum;
}

template <class T> __device__ inline T integer_subtract(T a, T b, Status* status) {
  T difference = (T)((u64)a - (u64)b);
  if ((T)-1 < 0 ? ((a ^ b) & (a ^ difference)) < 0 : a < b) query_fail(status, QUERY_OVERFLOW);
  return difference;
}

template <class T> __device__ inline T integer_multiply(T a, T b, Status* status) {
  // the product of two 64-bit numbers has 128 bits; stored as a negative number, it is outside 64
  // bits, too
  i128 product = (i128)((u128)(i128)a * (u128)(i128)b);
  T low = (T)product;
  if ((i128)low != product) query_fail(status, QUERY_OVERFLOW);
  return low;
}

template <class T> __device__ inline T integer_divide(T a, T b, Status* status) {
  if (b == 0) {
    query_fail(status, QUERY_ZERO_DIVISION);
    return 0;
  }
  if ((T)-1 < 0 && b == (T)-1) {
    T negated = (T)(0 - (u64)a);
    if (a == negated && a != 0) query_fail(status, QUERY_OVERFLOW);
    return negated;
  }
  return a / b;
}

template <class T> __device__ inline T integer_remainder(T a, T b, Status* status) {
  if (b == 0) {
    query_fail(status, QUERY_ZERO_DIVISION);
    return 0;
  }
  return (T)-1 < 0 && b == (T)-1 ? 0 : a % b;
}

// Casts between integer types; a value outside the target type is an error.
template <class To, class From> __device__ inline To integer_cast(From x, Status* status) {
  To y = (To)x;
  if ((From)y != x || (x < 0) != (y < 0)) query_fail(status, QUERY_CAST);
  return y;
}

template <class To> __device__ inline To float_to_integer(f64 x, f64 least, f64 beyond, Status* status) {
  if (!(x > least - 1 && x < beyond)) {
    query_fail(status, QUERY_CAST);
    return 0;
  }
  return (To)x;
}

template <class T> __device__ inline T integer_absolute(T x, Status* status) {
  T result = x < 0 ? (T)(0 - (u64)x) : x;
  if (result < 0) query_fail(status, QUERY_OVERFLOW);
  return result;
}

__device__ inline f64 float_of_bits(u64 bits) {
  return load_unaligned<f64>(&bits);
}
