// Atomics with CUDA's names and types. They are real ones: blocks of a launch may run on several
// threads.
#pragma once

#define PELTON_SIM_EXCHANGE(T)                                                       \
  inline T atomicExch(T* address, T value) {                                         \
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                    \
  }                                                                                  \
  inline T atomicCAS(T* address, T expected, T value) {                              \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                 \
  }
PELTON_SIM_EXCHANGE(int)
PELTON_SIM_EXCHANGE(unsigned int)
PELTON_SIM_EXCHANGE(unsigned long long)
#undef PELTON_SIM_EXCHANGE

#define PELTON_SIM_FETCH(name, T, function) \
  inline T name(T* address, T value) { return function(address, value, __ATOMIC_RELAXED); }
PELTON_SIM_FETCH(atomicAdd, int, __atomic_fetch_add)
PELTON_SIM_FETCH(atomicAdd, unsigned int, __atomic_fetch_add)
PELTON_SIM_FETCH(atomicAdd, unsigned long long, __atomic_fetch_add)
PELTON_SIM_FETCH(atomicSub, int, __atomic_fetch_sub)
PELTON_SIM_FETCH(atomicSub, unsigned int, __atomic_fetch_sub)
PELTON_SIM_FETCH(atomicAnd, int, __atomic_fetch_and)
PELTON_SIM_FETCH(atomicAnd, unsigned int, __atomic_fetch_and)
PELTON_SIM_FETCH(atomicAnd, unsigned long long, __atomic_fetch_and)
PELTON_SIM_FETCH(atomicOr, int, __atomic_fetch_or)
PELTON_SIM_FETCH(atomicOr, unsigned int, __atomic_fetch_or)
PELTON_SIM_FETCH(atomicOr, unsigned long long, __atomic_fetch_or)
PELTON_SIM_FETCH(atomicXor, int, __atomic_fetch_xor)
PELTON_SIM_FETCH(atomicXor, unsigned int, __atomic_fetch_xor)
PELTON_SIM_FETCH(atomicXor, unsigned long long, __atomic_fetch_xor)
#undef PELTON_SIM_FETCH

namespace pelton_sim {
// For operations without an instruction of the processor: replaces the value unless another thread
// has changed it, and tries again.
template <class T, class Bits, class Function>
inline T atomic_update(T* address, Function function) {
  Bits* bits = reinterpret_cast<Bits*>(address);
  Bits old_bits = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old_value;
    __builtin_memcpy(&old_value, &old_bits, sizeof old_value);
    T value = function(old_value);
    Bits value_bits;
    __builtin_memcpy(&value_bits, &value, sizeof value);
    if (__atomic_compare_exchange_n(bits, &old_bits, value_bits, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return old_value;
  }
}
}  // namespace pelton_sim

inline float atomicAdd(float* address, float value) {
  return pelton_sim::atomic_update<float, u32>(address, [value](float old) { return old + value; });
}
inline double atomicAdd(double* address, double value) {
  return pelton_sim::atomic_update<double, u64>(address, [value](double old) { return old + value; });
}
inline float atomicExch(float* address, float value) {
  return pelton_sim::atomic_update<float, u32>(address, [value](float) { return value; });
}

#define PELTON_SIM_EXTREMES(T)                                                                            \
  inline T atomicMin(T* address, T value) {                                                               \
    return pelton_sim::atomic_update<T, T>(address, [value](T old) { return old < value ? old : value; }); \
  }                                                                                                       \
  inline T atomicMax(T* address, T value) {                                                               \
    return pelton_sim::atomic_update<T, T>(address, [value](T old) { return old > value ? old : value; }); \
  }
PELTON_SIM_EXTREMES(int)
PELTON_SIM_EXTREMES(unsigned int)
PELTON_SIM_EXTREMES(long long)
PELTON_SIM_EXTREMES(unsigned long long)
#undef PELTON_SIM_EXTREMES
