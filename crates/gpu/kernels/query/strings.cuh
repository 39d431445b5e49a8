// Strings: views of UTF-8 bytes in other memory.
#pragma once
#include "pelton/prelude.cuh"

__device__ inline Str str_of(const char* text, u32 length) {
  Str s;
  s.data = (const u8*)text;
  s.length = length;
  s.unused = 0;
  return s;
}

__device__ __noinline__ inline int str_compare(const Str& a, const Str& b) {
  u32 n = a.length < b.length ? a.length : b.length;
  for (u32 i = 0; i < n; i++) {
    if (a.data[i] != b.data[i]) return a.data[i] < b.data[i] ? -1 : 1;
  }
  return a.length < b.length ? -1 : a.length > b.length;
}

__device__ __noinline__ inline bool str_equal(const Str& a, const Str& b) {
  if (a.length != b.length) return false;
  for (u32 i = 0; i < a.length; i++) {
    if (a.data[i] != b.data[i]) return false;
  }
  return true;
}

__device__ inline bool str_starts_with(const Str& s, const Str& prefix) {
  return s.length >= prefix.length && str_equal(str_of((const char*)s.data, prefix.length), prefix);
}

__device__ __noinline__ inline bool str_ends_with(const Str& s, const Str& suffix) {
  if (s.length < suffix.length) return false;
  return str_equal(str_of((const char*)s.data + (s.length - suffix.length), suffix.length), suffix);
}

// Returns the place of `part` in `s` from byte `from` on; the string's length + 1 if it is not
// there.
__device__ __noinline__ inline u32 str_find(const Str& s, const Str& part, u32 from) {
  for (u32 i = from; i + part.length <= s.length; i++) {
    u32 k = 0;
    while (k < part.length && s.data[i + k] == part.data[k]) k++;
    if (k == part.length) return i;
  }
  return s.length + 1;
}

__device__ inline bool str_contains(const Str& s, const Str& part) { return str_find(s, part, 0) <= s.length; }

// Returns the bytes of the character that begins at `i`: continuation bytes are 10xxxxxx.
__device__ inline u32 str_character(const Str& s, u32 i) {
  u32 n = 1;
  while (i + n < s.length && (s.data[i + n] & 0xc0) == 0x80) n++;
  return n;
}

__device__ inline i32 str_characters(const Str& s) {
  i32 n = 0;
  for (u32 i = 0; i < s.length; i++) n += (s.data[i] & 0xc0) != 0x80;
  return n;
}

// SQL's substr in characters: `start` counts from 1 and may lie in front of the string; `length`
// counts from there.
__device__ __noinline__ inline Str str_substr(const Str& s, i64 start, i64 length) {
  i64 end = length > 0x7fffffffll || start > 0x7fffffffll ? 0x7fffffffffffffffll : start + length;
  u32 from = 0, to = 0;
  i64 position = 1;
  while (to < s.length && position < end) {
    u32 n = str_character(s, to);
    if (position < start) from = to + n;
    to += n;
    position++;
  }
  return str_of((const char*)s.data + from, from < to ? to - from : 0);
}

// LIKE with `%`, `_` and `\` before one of them. A mismatch goes back to the last `%`.
__device__ __noinline__ inline bool str_like(const Str& s, const Str& pattern) {
  u32 i = 0, p = 0, star = 0xffffffffu, resume = 0;
  while (i < s.length) {
    bool matched = false;
    if (p < pattern.length && pattern.data[p] == '%') {
      star = ++p;
      resume = i;
      continue;
    }
    if (p < pattern.length && pattern.data[p] == '_') {
      i += str_character(s, i);
      p++;
      continue;
    }
    if (p < pattern.length) {
      u32 q = pattern.data[p] == '\\' && p + 1 < pattern.length ? p + 1 : p;
      if (pattern.data[q] == s.data[i]) {
        i++;
        p = q + 1;
        matched = true;
      }
    }
    if (matched) continue;
    if (star == 0xffffffffu) return false;
    resume += str_character(s, resume);
    i = resume;
    p = star;
  }
  while (p < pattern.length && pattern.data[p] == '%') p++;
  return p == pattern.length;
}
