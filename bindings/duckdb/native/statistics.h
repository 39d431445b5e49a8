// Statistics of a file's columns by row group, as DuckDB has them.

#pragma once

#include "engine.h"
#include "version.h"

#include "duckdb/storage/statistics/numeric_stats.hpp"

namespace pelton {

inline bool HasBounds(const LogicalType &type) {
	switch (type.InternalType()) {
	case PhysicalType::INT8:
	case PhysicalType::INT16:
	case PhysicalType::INT32:
	case PhysicalType::INT64:
	case PhysicalType::INT128:
	case PhysicalType::UINT8:
	case PhysicalType::UINT16:
	case PhysicalType::UINT32:
	case PhysicalType::UINT64:
	case PhysicalType::UINT128:
	case PhysicalType::BOOL:
		return true;
	case PhysicalType::VARCHAR:
		return type.id() == LogicalTypeId::VARCHAR;
	default:
		// Bounds of floats leave NaN out, which DuckDB takes for the largest number.
		return false;
	}
}

// Statistics of values between two bounds; a null bound is unknown. Exact bounds are values
// themselves, others only limits.
inline BaseStatistics Between(const LogicalType &type, const Value &min, const Value &max, bool are_exact) {
	if (type.InternalType() == PhysicalType::VARCHAR) {
		if (are_exact && !min.IsNull() && min == max) {
			if (auto constant = ConstantText(type, StringValue::Get(min))) {
				return std::move(*constant);
			}
		}
		auto result = StringStats::CreateUnknown(type);
		if (!min.IsNull()) {
			SetMin(result, StringValue::Get(min), are_exact);
		}
		if (!max.IsNull()) {
			SetMax(result, StringValue::Get(max), are_exact);
		}
		return result;
	}
	auto result = NumericStats::CreateUnknown(type);
	if (!min.IsNull()) {
		NumericStats::SetMin(result, min);
	}
	if (!max.IsNull()) {
		NumericStats::SetMax(result, max);
	}
	return result;
}

// Statistics of a column in one row group.
struct GroupStatistics {
	BaseStatistics statistics;
	bool has_exact_bounds;
};

// Calls `each` with the statistics of every row group, in order. Returns false without having
// called it for all if the column has none.
template <class EACH>
bool ForEachGroup(const PeltonEngine &engine, void *file, idx_t column, const LogicalType &type, EACH each) {
	auto has_bounds = HasBounds(type);
	auto is_float = type.InternalType() == PhysicalType::FLOAT || type.InternalType() == PhysicalType::DOUBLE;
	if (!has_bounds && !is_float) {
		return false;
	}
	DataChunk bounds;
	bounds.Initialize(Allocator::DefaultAllocator(), {type, type});
	vector<PeltonFacts> facts(STANDARD_VECTOR_SIZE);
	auto groups = engine.row_groups(file);
	idx_t from = 0;
	while (from < groups) {
		bounds.Reset();
		uint64_t count = 0;
		char *error = nullptr;
		auto found = engine.statistics(file, column, from, &bounds, facts.data(), &count, &error);
		if (found < 0) {
			// Statistics that can't be read are none.
			engine.free_error(error);
		}
		if (found <= 0 || count == 0) {
			return false;
		}
		for (idx_t index = 0; index < count; index++) {
			auto min = has_bounds ? bounds.data[0].GetValue(index) : Value(type);
			auto max = has_bounds ? bounds.data[1].GetValue(index) : Value(type);
			auto are_exact = facts[index].has_exact_bounds && !min.IsNull() && !max.IsNull();
			auto group = Between(type, min, max, are_exact);
			group.Set(StatsInfo::CAN_HAVE_NULL_AND_VALID_VALUES);
			if (facts[index].nulls == PELTON_NULLS_NONE) {
				group.Set(StatsInfo::CANNOT_HAVE_NULL_VALUES);
			} else if (facts[index].nulls == PELTON_NULLS_ALL) {
				group.Set(StatsInfo::CANNOT_HAVE_VALID_VALUES);
			}
			each(GroupStatistics {std::move(group), are_exact});
		}
		from += count;
	}
	return true;
}

} // namespace pelton
