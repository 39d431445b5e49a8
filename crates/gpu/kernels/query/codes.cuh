// Error codes of a query on the device. Any of these makes the CPU run the subtree again: a user
// sees the CPU's answer or the CPU's error, never one of the device's own.
#pragma once
#include "pelton/prelude.cuh"

static const u32 QUERY_OVERFLOW = 100;       // a result outside its type
static const u32 QUERY_ZERO_DIVISION = 101;  // integers or decimals divided by zero
static const u32 QUERY_CAST = 102;           // a value does not fit the type that it is cast to
static const u32 QUERY_MANY_ROWS = 103;      // a scalar subquery has more than one row
static const u32 QUERY_PRECISION = 104;      // a decimal in the file has more digits than its column declares

__device__ inline void query_fail(Status* status, u32 code) { status_fail(status, code, 0, 0, 0); }
