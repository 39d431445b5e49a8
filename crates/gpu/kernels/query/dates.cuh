// Parts of dates and timestamps in the proleptic Gregorian calendar.
#pragma once
#include "pelton/prelude.cuh"

struct Civil {
  i32 year, month, day;
};

// Converts days since 1970-01-01 to a date, by eras of 400 years that begin in March (Hinnant:
// chrono-compatible low-level date algorithms).
__device__ inline Civil civil_of(i32 days) {
  i64 z = (i64)days + 719468;
  i64 era = (z >= 0 ? z : z - 146096) / 146097;
  u32 day_of_era = (u32)(z - era * 146097);
  u32 year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  u32 day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  u32 shifted = (5 * day_of_year + 2) / 153;
  Civil civil;
  civil.day = (i32)(day_of_year - (153 * shifted + 2) / 5 + 1);
  civil.month = (i32)(shifted < 10 ? shifted + 3 : shifted - 9);
  civil.year = (i32)((i64)year_of_era + era * 400 + (civil.month <= 2));
  return civil;
}

__device__ inline i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }

__device__ inline i32 days_of(i64 time, i64 units_per_day) { return (i32)floor_divide(time, units_per_day); }
