// Differences between the versions of DuckDB that the native layer is compiled for.

#pragma once

#include "engine.h"

#include "duckdb.hpp"
#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/function/partition_stats.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/statistics/string_stats.hpp"
#include "duckdb/storage/table/column_segment.hpp"

#if PELTON_DUCKDB == 2
#include "duckdb/common/vector/dictionary_vector.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/filter/table_filter_functions.hpp"
#include "duckdb/planner/table_filter_set.hpp"
#else
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#include "duckdb/planner/filter/selectivity_optional_filter.hpp"
#include "duckdb/planner/filter/struct_filter.hpp"
#endif
#include "duckdb/planner/table_filter_state.hpp"

#include <algorithm>

namespace pelton {

using namespace duckdb;

// Returns the statistics of a column; null if there are none.
using StatisticsOfColumn = unique_ptr<BaseStatistics> (*)(ClientContext &, const FunctionData *, idx_t);

#if PELTON_DUCKDB == 2

using Name = Identifier;

inline string TextOf(const Name &name) {
	return name.GetIdentifierName();
}

template <class EACH>
void ForEachFilter(TableFilterSet &filters, EACH each) {
	if (filters.HasMultiColumnFilters()) {
		throw InternalException("pelton_scan was given a condition on several columns");
	}
	for (auto &entry : filters) {
		each(entry.GetIndex().GetIndex(), entry.Filter());
	}
}

// Returns the conversion of a column that conditions need, by its position in the chunk.
inline optional_ptr<Expression> ConversionAt(BaseFileReader &reader, idx_t position) {
	auto found = reader.expression_map.find(ProjectionIndex(position));
	return found == reader.expression_map.end() ? nullptr : found->second.expression.get();
}

inline bool CanThrow(const TableFilter &, const TableFilterState &state) {
	return state.can_throw;
}

// Leaves the passing ones of some rows in a selection. A selection without memory stands for all of
// the first `rows`.
inline void Select(const TableFilter &, TableFilterState &state, Vector &vector, SelectionVector &selection, idx_t rows,
                   idx_t &passing) {
	ColumnSegment::FilterSelection(selection, vector, state, rows, passing);
}

inline PeltonDuty DutyOf(const Expression &expression) {
	if (expression.GetExpressionType() == ExpressionType::CONJUNCTION_AND) {
		auto result = PELTON_BOUNDS_ONLY;
		for (auto &part : expression.Cast<BoundConjunctionExpression>().GetChildren()) {
			result = MinValue(result, DutyOf(*part));
		}
		return result;
	}
	if (expression.GetExpressionClass() != ExpressionClass::BOUND_FUNCTION) {
		return PELTON_MUST_HOLD;
	}
	auto &name = expression.Cast<BoundFunctionExpression>().Function().GetName();
	if (name == OptionalFilterScalarFun::NAME) {
		return PELTON_BOUNDS_ONLY;
	}
	return name == SelectivityOptionalFilterScalarFun::NAME ? PELTON_MAY_HOLD : PELTON_MUST_HOLD;
}

// Returns what joins, TopN and other operators ask of a condition that they learned.
inline PeltonDuty DutyOf(const TableFilter &filter) {
	return DutyOf(*ExpressionFilter::GetExpressionFilter(filter, "pelton_scan").expr);
}

inline FilterPropagateResult Check(ClientContext &context, const TableFilter &filter, BaseStatistics &statistics) {
	return ExpressionFilter::GetExpressionFilter(filter, "pelton_scan").CheckStatistics(context, statistics);
}

// Sets bounds of strings, which may be cut unless they are exact.
inline void SetMin(BaseStatistics &statistics, const string &bound, bool is_exact) {
	auto type = is_exact ? StringStatsType::EXACT_STATS : StringStatsType::TRUNCATED_STATS;
	StringStats::SetMin(statistics, string_t(bound), type);
}

inline void SetMax(BaseStatistics &statistics, const string &bound, bool is_exact) {
	auto type = is_exact ? StringStatsType::EXACT_STATS : StringStatsType::TRUNCATED_STATS;
	StringStats::SetMax(statistics, string_t(bound), type);
}

// Returns statistics of one text, so that its length is known, by which DuckDB compresses keys.
inline unique_ptr<BaseStatistics> ConstantText(const LogicalType &type, const string &text) {
	auto result = StringStats::CreateEmpty(type);
	StringStats::FromConstant(result, string_t(text));
	return result.ToUnique();
}

// A row group, for aggregates that its statistics answer.
struct StatedRowGroup : public PartitionRowGroup {
	virtual bool HasExactBounds(const StorageIndex &column) = 0;

	bool MinMaxIsExact(const StorageIndex &column) override {
		return HasExactBounds(column);
	}
	bool HasPendingWrites() override {
		return false;
	}
};

// Whether the user gave the columns of the files, by names or by numbers of fields.
inline bool HasOwnSchema(const MultiFileOptions &options) {
	return !options.schema.empty() || !options.bound_schema.empty();
}

// Sets the members that differ. `OF_SEVERAL` has statistics that the framework has not.
template <StatisticsOfColumn OF_SEVERAL, class FUNCTION>
void Complete(FUNCTION &function) {
	function.statistics_extended = [](ClientContext &context, TableFunctionGetStatisticsInput &input) {
		auto result = FUNCTION::MultiFileScanStatsExtended(context, input);
		auto &column = input.column_index;
		if (!result && !column.IsVirtualColumn() && !column.HasChildren()) {
			result = OF_SEVERAL(context, input.bind_data.get(), column.GetPrimaryIndex());
		}
		return result;
	};
	function.GetSignature().ExtendTypedKwargs([](TypedKwargs &options) {
		options.Add("device", LogicalType::VARCHAR).Add("ranges", LogicalTypeId::ANY);
	});
}

template <class EACH>
void ForEachFunction(TableFunctionSet &functions, EACH each) {
	functions.ApplyToFunctions(each);
}

// Returns a call of a function with constant arguments, the named ones last.
inline unique_ptr<ParsedExpression> CallOf(const string &function, TableFunctionBindInput &input) {
	vector<unique_ptr<ParsedExpression>> arguments;
	for (auto &value : input.inputs) {
		arguments.push_back(ConstantExpression::FromValue(value));
	}
	for (auto &named : input.named_parameters) {
		arguments.push_back(ConstantExpression::FromValue(named.second));
		arguments.back()->SetAlias(named.first);
	}
	return make_uniq<FunctionExpression>(Name(function), std::move(arguments));
}

// Options of `read_parquet` that `pelton_scan` has too.
static constexpr const char *SHARED_OPTIONS[] = {"filename",      "hive_partitioning", "hive_types", "hive_types_autocast",
                                                 "union_by_name", "file_row_number",   "schema"};

using LocalStateContext = ClientContext;
using BatchSize = optional_idx;

inline ClientContext &ClientOf(ClientContext &context) {
	return context;
}

// Makes the rows of a vector refer to entries of a dictionary.
inline void Refer(Vector &vector, buffer_ptr<DictionaryEntry> entries, const SelectionVector &rows, idx_t count) {
	vector.Dictionary(std::move(entries), rows, count);
}

#else

using Name = string;

inline string TextOf(const Name &name) {
	return name;
}

template <class EACH>
void ForEachFilter(TableFilterSet &filters, EACH each) {
	for (auto &entry : filters.filters) {
		each(entry.first, *entry.second);
	}
}

inline optional_ptr<Expression> ConversionAt(BaseFileReader &reader, idx_t position) {
	auto found = reader.expression_map.find(reader.column_ids[MultiFileLocalIndex(position)].GetId());
	return found == reader.expression_map.end() ? nullptr : found->second.get();
}

inline bool CanThrow(const TableFilter &filter, const TableFilterState &state) {
	auto any = [&](const vector<unique_ptr<TableFilter>> &children) {
		for (auto &child : children) {
			if (CanThrow(*child, state)) {
				return true;
			}
		}
		return false;
	};
	switch (filter.filter_type) {
	case TableFilterType::EXPRESSION_FILTER:
		return filter.Cast<ExpressionFilter>().expr->CanThrow();
	case TableFilterType::CONJUNCTION_AND:
		return any(filter.Cast<ConjunctionAndFilter>().child_filters);
	case TableFilterType::CONJUNCTION_OR:
		return any(filter.Cast<ConjunctionOrFilter>().child_filters);
	case TableFilterType::STRUCT_EXTRACT:
		return CanThrow(*filter.Cast<StructFilter>().child_filter, state);
	case TableFilterType::OPTIONAL_FILTER: {
		auto &child = filter.Cast<OptionalFilter>().child_filter;
		return child && CanThrow(*child, state);
	}
	default:
		return false;
	}
}

inline void Select(const TableFilter &filter, TableFilterState &state, Vector &vector, SelectionVector &selection,
                   idx_t rows, idx_t &passing) {
	UnifiedVectorFormat format;
	vector.ToUnifiedFormat(rows, format);
	ColumnSegment::FilterSelection(selection, vector, format, filter, state, rows, passing);
}

inline PeltonDuty DutyOf(const TableFilter &filter) {
	if (filter.filter_type == TableFilterType::CONJUNCTION_AND) {
		auto result = PELTON_BOUNDS_ONLY;
		for (auto &part : filter.Cast<ConjunctionAndFilter>().child_filters) {
			result = MinValue(result, DutyOf(*part));
		}
		return result;
	}
	if (filter.filter_type != TableFilterType::OPTIONAL_FILTER) {
		return PELTON_MUST_HOLD;
	}
	return dynamic_cast<const SelectivityOptionalFilter *>(&filter) ? PELTON_MAY_HOLD : PELTON_BOUNDS_ONLY;
}

inline FilterPropagateResult Check(ClientContext &, const TableFilter &filter, BaseStatistics &statistics) {
	return filter.CheckStatistics(statistics);
}

inline void SetMin(BaseStatistics &statistics, const string &bound, bool) {
	StringStats::SetMin(statistics, string_t(bound));
}

inline void SetMax(BaseStatistics &statistics, const string &bound, bool) {
	StringStats::SetMax(statistics, string_t(bound));
}

inline unique_ptr<BaseStatistics> ConstantText(const LogicalType &, const string &) {
	return nullptr;
}

struct StatedRowGroup : public PartitionRowGroup {
	virtual bool HasExactBounds(const StorageIndex &column) = 0;

	bool MinMaxIsExact(const BaseStatistics &, const StorageIndex &column) override {
		return HasExactBounds(column);
	}
};

// Version 1.5 has the option in readers that take it, which this one does not.
inline bool HasOwnSchema(const MultiFileOptions &) {
	return false;
}

template <StatisticsOfColumn OF_SEVERAL, class FUNCTION>
void Complete(FUNCTION &function) {
	function.statistics = [](ClientContext &context, const FunctionData *data, column_t column) {
		auto &bound = data->Cast<MultiFileBindData>().reader_bind;
		auto is_it = [&](const HivePartitioningIndex &hive) { return hive.index == column; };
		auto &hive = bound.hive_partitioning_indexes;
		if (std::any_of(hive.begin(), hive.end(), is_it)) {
			// The framework gives the statistics of the file's column of that name.
			return unique_ptr<BaseStatistics>();
		}
		auto result = FUNCTION::MultiFileScanStats(context, data, column);
		if (!result && !IsVirtualColumn(column)) {
			result = OF_SEVERAL(context, data, column);
		}
		return result;
	};
	function.named_parameters["device"] = LogicalType::VARCHAR;
	function.named_parameters["ranges"] = LogicalType::ANY;
}

template <class EACH>
void ForEachFunction(TableFunctionSet &functions, EACH each) {
	for (auto &function : functions.functions) {
		each(function);
	}
}

inline unique_ptr<ParsedExpression> CallOf(const string &function, TableFunctionBindInput &input) {
	vector<unique_ptr<ParsedExpression>> arguments;
	for (auto &value : input.inputs) {
		arguments.push_back(make_uniq<ConstantExpression>(value));
	}
	for (auto &named : input.named_parameters) {
		arguments.push_back(make_uniq<ConstantExpression>(named.second));
		arguments.back()->SetAlias(named.first);
	}
	return make_uniq<FunctionExpression>(function, std::move(arguments));
}

static constexpr const char *SHARED_OPTIONS[] = {"filename", "hive_partitioning", "hive_types", "hive_types_autocast",
                                                 "union_by_name"};

using LocalStateContext = ExecutionContext;
using BatchSize = idx_t;

inline ClientContext &ClientOf(ExecutionContext &context) {
	return context.client;
}

inline void Refer(Vector &vector, buffer_ptr<VectorChildBuffer> entries, const SelectionVector &rows, idx_t) {
	vector.Dictionary(std::move(entries), rows);
}

#endif

} // namespace pelton
