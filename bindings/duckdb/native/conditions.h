// Conditions of a scan, which DuckDB evaluates.

#pragma once

#include "engine.h"
#include "errors.h"
#include "statistics.h"
#include "version.h"

namespace pelton {

// Condition of a scan with the state of one thread.
struct Condition {
	Condition(ClientContext &context, idx_t position, TableFilter &filter_p)
	    : position(position), filter(filter_p), state(TableFilterState::Initialize(context, filter_p)) {
	}

	// Index of the column in the reader's chunk.
	idx_t position;
	TableFilter &filter;
	unique_ptr<TableFilterState> state;

	// Writes the passing ones of the rows in `selection`, or of the first `rows` if it has no
	// memory, to `selection` and returns their number.
	idx_t Evaluate(Vector &vector, SelectionVector &selection, idx_t rows, idx_t passing) {
		Select(filter, *state, vector, selection, rows, passing);
		return passing;
	}

	bool MayHold(ClientContext &context, BaseStatistics &statistics) {
		auto found = Check(context, filter, statistics);
		return found != FilterPropagateResult::FILTER_ALWAYS_FALSE &&
		       found != FilterPropagateResult::FILTER_FALSE_OR_NULL;
	}
};

// Conditions of one thread on one file.
struct Conditions {
	explicit Conditions(ClientContext &context) : context(context) {
		evaluator.context = this;
		evaluator.evaluate = Evaluate;
		evaluator.may_hold = MayHold;
		evaluator.free_error = [](char *error) { free(error); };
	}

	ClientContext &context;
	vector<Condition> all;
	// Indexes of the conditions that the engine evaluates, and of the others.
	vector<PeltonCondition> engine_side;
	vector<idx_t> own_side;
	PeltonConditions evaluator;

	static int64_t Evaluate(void *self, uint64_t condition, void *vector, uint64_t rows, uint32_t *passing,
	                        char **error) {
		return Guarded<int64_t>(-1, error, [&]() -> int64_t {
			auto &conditions = *static_cast<Conditions *>(self);
			SelectionVector selection;
			auto count = conditions.all[condition].Evaluate(*static_cast<Vector *>(vector), selection, rows, rows);
			if (count < rows) {
				static_assert(sizeof(sel_t) == sizeof(*passing), "a selection has the width of the interface");
				memcpy(passing, selection.data(), count * sizeof(sel_t));
			}
			return UnsafeNumericCast<int64_t>(count);
		});
	}

	static int32_t MayHold(void *self, uint64_t condition, void *mins, void *maxes, uint64_t count, uint8_t *may,
	                       char **error);
};

inline int32_t Conditions::MayHold(void *self, uint64_t condition, void *mins, void *maxes, uint64_t count, uint8_t *may,
                            char **error) {
	return Guarded<int32_t>(-1, error, [&]() -> int32_t {
		auto &conditions = *static_cast<Conditions *>(self);
		auto &low = *static_cast<Vector *>(mins);
		auto &high = *static_cast<Vector *>(maxes);
		auto has_bounds = HasBounds(low.GetType());
		for (idx_t index = 0; index < count; index++) {
			may[index] = 1;
			if (!has_bounds) {
				continue;
			}
			auto statistics = Between(low.GetType(), low.GetValue(index), high.GetValue(index), false);
			statistics.Set(StatsInfo::CAN_HAVE_NULL_AND_VALID_VALUES);
			may[index] = conditions.all[condition].MayHold(conditions.context, statistics);
		}
		return 0;
	});
}

} // namespace pelton
