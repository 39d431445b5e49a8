// Everything that a kernel may use, once. Compiled by NVRTC and by g++ (tests/nvrtc.rs,
// tests/host/everything.rs).

struct Everything {
  u64 words;
  u64 doubles;
  u64 status;
  i128 wide;
  Str text;
};

struct __align__(16) Aligned {
  u8 bytes[16];
};

__device__ const u32 TABLE[4] = {1, 2, 3, 4};

__device__ __forceinline__ u32 force_inlined(u32 x) { return x + 1; }
__device__ __noinline__ u32 not_inlined(u32 x) { return x * 2; }

template <class T>
__device__ inline T twice(T value) {
  auto add = [](T a, T b) { return a + b; };
  return add(value, value);
}

template <class T>
__device__ inline T shuffle_all(T value) {
  value = __shfl_sync(FULL_WARP, value, 3);
  value = __shfl_up_sync(FULL_WARP, value, 1);
  value = __shfl_down_sync(FULL_WARP, value, 1);
  return __shfl_xor_sync(FULL_WARP, value, 1, 16);
}

PELTON_KERNEL(everything, Everything, p) {
  u32* words = reinterpret_cast<u32*>(p.words);
  i32* ints = reinterpret_cast<i32*>(p.words) + 256;
  u64* longs = reinterpret_cast<u64*>(p.words) + 256;
  f64* doubles = reinterpret_cast<f64*>(p.doubles);
  f32* floats = reinterpret_cast<f32*>(p.doubles) + 512;
  Status* status = reinterpret_cast<Status*>(p.status);

  __shared__ u32 shared[256];
  __shared__ Aligned aligned;
  __shared__ i128 wide;
  u32 t = threadIdx.x + blockIdx.x * blockDim.x + gridDim.x - 1;
  if (threadIdx.x == 0) {
    aligned.bytes[0] = 1;
    wide = p.wide;
  }
  shared[threadIdx.x] = lane_id() + warp_id() + static_cast<u32>(warpSize);
  __syncthreads();
  u32 votes = __syncthreads_or(t == 1) + __syncthreads_and(t > 0) + __syncthreads_count(t % 2);
  votes += __ballot_sync(FULL_WARP, t & 1) + __any_sync(FULL_WARP, t == 3) + __all_sync(FULL_WARP, t < 300);
  votes += __match_any_sync(FULL_WARP, t / 4) + __match_any_sync(FULL_WARP, static_cast<u64>(t) / 4);
  votes += __match_any_sync(FULL_WARP, static_cast<i32>(t)) + __match_any_sync(FULL_WARP, static_cast<i64>(t));
  votes += __reduce_add_sync(FULL_WARP, t) + __reduce_min_sync(FULL_WARP, t) + __reduce_max_sync(FULL_WARP, t);
  votes += __reduce_and_sync(FULL_WARP, t) + __reduce_or_sync(FULL_WARP, t) + __reduce_xor_sync(FULL_WARP, t);
  __syncwarp();
  __syncwarp(FULL_WARP);

  f64 sum = shuffle_all(static_cast<i32>(t)) + shuffle_all(t) + static_cast<f64>(shuffle_all(static_cast<i64>(t))) +
            static_cast<f64>(shuffle_all(static_cast<u64>(t))) + shuffle_all(static_cast<f32>(t)) +
            shuffle_all(static_cast<f64>(t));
  sum += floor(sum) + ceil(sum) + trunc(sum) + round(sum) + rint(sum) + fabs(sum) + sqrt(fabs(sum));
  sum += exp(-fabs(sum)) + log(fabs(sum) + 1) + log2(fabs(sum) + 1) + log10(fabs(sum) + 1);
  sum += pow(2.0, -3.0) + fmod(sum, 3.0) + fmodf(static_cast<f32>(sum), 3.0f) + floor(1.5f) + sqrt(2.0f);
  if (isnan(sum) || isinf(sum) || !isfinite(sum) || isnan(1.0f) || isinf(1.0f) || !isfinite(1.0f)) sum = 0;
  sum += min(1, 2) + max(1u, 2u) + min(1.0f, 2.0f) + max(1.0, 2.0);
  sum += static_cast<f64>(min(i64{1}, i64{2}) + max(i64{1}, i64{2})) + static_cast<f64>(max(u64{1}, u64{2}));

  u32 bits = __popc(t) + __popcll(t) + __clz(static_cast<i32>(t)) + __clzll(t) + __ffs(static_cast<i32>(t)) + __ffsll(t);
  bits += __brev(t) + static_cast<u32>(__brevll(t)) + __byte_perm(t, bits, 0x0123u);
  bits += __funnelshift_l(t, bits, 3) + __funnelshift_r(t, bits, 3) + __umulhi(t, bits);
  u64 high = __umul64hi(t, ~0ull) + static_cast<u64>(__mul64hi(t, -1)) + __ldg(words);
  bits += __float_as_uint(__uint_as_float(t)) + static_cast<u32>(__float_as_int(__int_as_float(1)));
  high += static_cast<u64>(__double_as_longlong(__longlong_as_double(1)));

  atomicAdd(words, 1u);
  atomicAdd(ints, 1);
  atomicAdd(longs, u64{1});
  atomicAdd(floats, 1.0f);
  atomicAdd(doubles, 1.0);
  atomicSub(words, 1u);
  atomicSub(ints, 1);
  atomicExch(words, atomicCAS(words, 0u, 1u));
  atomicExch(ints, atomicCAS(ints, 0, 1));
  atomicExch(longs, atomicCAS(longs, u64{0}, u64{1}));
  atomicExch(floats, 1.0f);
  atomicMin(words, 1u);
  atomicMax(words, 1u);
  atomicMin(ints, 1);
  atomicMax(ints, 1);
  atomicMin(longs, u64{1});
  atomicMax(longs, u64{1});
  atomicMin(reinterpret_cast<i64*>(longs), i64{1});
  atomicMax(reinterpret_cast<i64*>(longs), i64{1});
  atomicAnd(words, 1u);
  atomicOr(words, 1u);
  atomicXor(words, 1u);
  atomicAnd(ints, 1);
  atomicOr(ints, 1);
  atomicXor(ints, 1);
  atomicAnd(longs, u64{1});
  atomicOr(longs, u64{1});
  atomicXor(longs, u64{1});
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  pelton_relax();

  i128 quotient = (wide * 3 + t) / 7 % 1000;
  u128 logical = static_cast<u128>(wide) >> 3;
  const u8* bytes = reinterpret_cast<const u8*>(words) + 1 + threadIdx.x % 8;
  high += load_unaligned<u16>(bytes) + load_unaligned<u32>(bytes) + load_unaligned<u64>(bytes);
  high += static_cast<u64>(load_unaligned<i128>(bytes)) + static_cast<u64>(load_unaligned<f64>(bytes));
  store_unaligned<i128>(reinterpret_cast<u8*>(longs + 4) + threadIdx.x * 16 + 1, quotient);
  store_unaligned<u16>(reinterpret_cast<u8*>(doubles + 8) + threadIdx.x * 3, static_cast<u16>(t));
  words[4 + threadIdx.x % 32] = votes + bits + TABLE[t % 4] + force_inlined(t) + not_inlined(t) + twice(t) +
                                shared[255 - threadIdx.x] + aligned.bytes[0] + p.text.length;
  longs[1] = high + static_cast<u64>(logical) + static_cast<u64>(sum);
  status_fail(status, CODE_TRUNCATED, 1, 2, 3);
}
