// Reader of one file, which passes DuckDB's calls on to the engine.

#pragma once

#include "conditions.h"
#include "engine.h"
#include "errors.h"
#include "source.h"
#include "statistics.h"
#include "version.h"

#include <algorithm>

namespace pelton {

// The engine's functions, set once when the layer is registered. Only one file includes this
// header.
static const PeltonEngine *engine;

// An error of the engine's as an exception.
[[noreturn]] static void Raise(char *error) {
	RaiseError(error, engine->free_error);
}

// The arguments that DuckDB's framework does not take itself; NULL without one.
struct ReaderOptions : public BaseFileReaderOptions {
	Value device;
	Value ranges;
};

class Reader;

struct LocalState : public LocalTableFunctionState {
	explicit LocalState(ClientContext &context) : stream(engine->stream()), conditions(context) {
	}
	~LocalState() override {
		engine->end(stream);
	}

	void *stream;
	// Number of the reader for which the following members are made; 0 for none.
	idx_t reader = 0;
	Conditions conditions;
	// Columns as the file has them, if some need a conversion before conditions see them.
	DataChunk raw;
	unique_ptr<ExpressionExecutor> executor;
};

// Reader of one file.
class Reader : public BaseFileReader {
public:
	Reader(ClientContext &context, const OpenFileInfo &info, const ReaderOptions &options)
	    : Reader(context, info, options, PeltonSource()) {
	}

	Reader(ClientContext &context, const OpenFileInfo &info, const ReaderOptions &options, PeltonSource source)
	    : BaseFileReader(info), is_local_file(OpenSource(context, info, source)) {
		char *error = nullptr;
		auto device = options.device.IsNull() ? string() : StringValue::Get(options.device);
		auto ranges = options.ranges;
		handle = engine->open(&context, SettingOf, info.path.data(), info.path.size(), is_local_file ? nullptr : &source,
		                      options.device.IsNull() ? nullptr : device.c_str(), ranges.IsNull() ? nullptr : &ranges,
		                      &error);
		if (!handle) {
			Raise(error);
		}
		if (engine->columns(handle, this, AddColumn, &error) < 0) {
			engine->close(handle);
			Raise(error);
		}
		if (!column_error.empty()) {
			engine->close(handle);
			throw InvalidInputException("%s", column_error);
		}
		file_columns = columns.size();
	}

	~Reader() override {
		if (scan) {
			engine->stop(scan);
		}
		engine->close(handle);
	}

	string GetReaderType() const override {
		return "Pelton";
	}

	bool IsLocal() const {
		return is_local_file;
	}

	idx_t Rows() const {
		return engine->rows(handle);
	}

	idx_t RowGroups() const {
		return engine->row_groups(handle);
	}

	idx_t Threads() const {
		return engine->threads(handle);
	}

	shared_ptr<BaseUnionData> GetUnionData(idx_t) override;

	unique_ptr<BaseStatistics> GetStatistics(ClientContext &, const Name &name) override {
		auto column = Find(name);
		return column.IsValid() ? ColumnStatistics(column.GetIndex()) : nullptr;
	}

	// Returns the index of the file's column of a name.
	optional_idx Find(const Name &name) const {
		for (idx_t index = 0; index < file_columns; index++) {
			if (columns[index].name == name) {
				return index;
			}
		}
		return optional_idx();
	}

	// Returns the statistics of the row groups for a column of the file; empty if there are none.
	vector<GroupStatistics> StatisticsByGroup(idx_t column) const {
		vector<GroupStatistics> result;
		auto add = [&](GroupStatistics group) { result.push_back(std::move(group)); };
		if (!ForEachGroup(*engine, handle, column, columns[column].type, add)) {
			result.clear();
		}
		return result;
	}

	vector<idx_t> RowsByGroup() const {
		vector<idx_t> result(RowGroups());
		engine->group_rows(handle, result.data());
		return result;
	}

	void AddVirtualColumn(column_t column) override {
		if (column != MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER) {
			throw InternalException("pelton_scan has no virtual column %llu", column);
		}
	}

	bool TryInitializeScan(ClientContext &context, GlobalTableFunctionState &,
	                       LocalTableFunctionState &local_state) override {
		auto &local = local_state.Cast<LocalState>();
		if (!scan) {
			Start(context);
		}
		if (local.reader != number) {
			Attach(context, local);
		}
		char *error = nullptr;
		auto found = engine->claim(scan, local.stream, &local.conditions.evaluator, &error);
		if (found < 0) {
			Raise(error);
		}
		return found > 0;
	}

	AsyncResult Scan(ClientContext &, GlobalTableFunctionState &, LocalTableFunctionState &local_state,
	                 DataChunk &chunk) override {
		auto &local = local_state.Cast<LocalState>();
		auto &read = local.executor ? local.raw : chunk;
		if (local.executor) {
			read.Reset();
		}
		char *error = nullptr;
		auto filled = engine->fill(scan, local.stream, &read, &error);
		if (filled < 0) {
			Raise(error);
		}
		auto rows = UnsafeNumericCast<idx_t>(filled);
		if (rows == 0) {
			chunk.SetChildCardinality(0);
			return SourceResultType::FINISHED;
		}
		read.SetChildCardinality(rows);
		if (local.executor) {
			Convert(local, chunk, rows);
		}
		rows = Filter(local, chunk, rows);
		rows_read += UnsafeNumericCast<idx_t>(filled);
		return SourceResultType::HAVE_MORE_OUTPUT;
	}

	void FinishFile(ClientContext &, GlobalTableFunctionState &) override {
	}

	double GetProgressInFile(ClientContext &) override {
		return scan ? 100.0 * engine->progress(scan) : 0.0;
	}

private:
	// Number of the reader, since another one may get its address.
	const idx_t number = NextNumber();
	void *handle;
	void *scan = nullptr;
	const bool is_local_file;
	string column_error;
	// Columns of the file; DuckDB adds virtual ones behind them.
	idx_t file_columns = 0;
	atomic<idx_t> rows_read {0};

	static idx_t NextNumber() {
		static atomic<idx_t> next {1};
		return next++;
	}

	static void AddColumn(void *to, const char *name, uint64_t length, void *type) {
		auto &self = *static_cast<Reader *>(to);
		char *error = nullptr;
		Guarded<int32_t>(-1, &error, [&]() -> int32_t {
			self.Add(name, length, type);
			return 0;
		});
		if (error) {
			self.column_error = error;
			free(error);
		}
	}

	void Add(const char *name, uint64_t length, void *type) {
		auto &of = *static_cast<LogicalType *>(type);
		columns.push_back(MultiFileColumnDefinition::CreateFromNameAndType(Name(string(name, length)), of));
	}

	// The column of the file at a position of the chunk; invalid for the row number.
	optional_idx FileColumn(idx_t position) {
		auto column = column_ids[MultiFileLocalIndex(position)].GetId();
		return column < file_columns ? optional_idx(column) : optional_idx();
	}

	static int64_t ToEngine(optional_idx column) {
		return column.IsValid() ? UnsafeNumericCast<int64_t>(column.GetIndex()) : -1;
	}

	// Makes the conditions of this file, and decides which side evaluates each.
	void FindConditions(Conditions &conditions) {
		conditions.all.clear();
		conditions.engine_side.clear();
		conditions.own_side.clear();
		if (!filters) {
			return;
		}
		ForEachFilter(*filters, [&](idx_t position, TableFilter &filter) {
			auto index = conditions.all.size();
			conditions.all.emplace_back(conditions.context, position, filter);
			auto column = FileColumn(position);
			// A condition that can fail must see only rows that passed the others.
			auto is_engines =
			    !ConversionAt(*this, position) && !CanThrow(filter, *conditions.all.back().state);
			if (is_engines) {
				conditions.engine_side.push_back({ToEngine(column), index, DutyOf(filter)});
			} else {
				conditions.own_side.push_back(index);
			}
		});
		auto can_throw = [&](idx_t index) {
			return CanThrow(conditions.all[index].filter, *conditions.all[index].state);
		};
		std::stable_partition(conditions.own_side.begin(), conditions.own_side.end(),
		                      [&](idx_t index) { return !can_throw(index); });
	}

	// Starts the scan. DuckDB holds its lock meanwhile, and does not prepare every reader otherwise.
	void Start(ClientContext &context) {
		vector<int64_t> wanted;
		for (idx_t position = 0; position < column_ids.size(); position++) {
			wanted.push_back(ToEngine(FileColumn(position)));
		}
		Conditions conditions(context);
		FindConditions(conditions);
		char *error = nullptr;
		scan = engine->start(handle, wanted.data(), wanted.size(), conditions.engine_side.data(),
		                     conditions.engine_side.size(), &conditions.evaluator, &error);
		if (!scan) {
			Raise(error);
		}
	}

	// Prepares a thread's state for this file.
	void Attach(ClientContext &context, LocalState &local) {
		local.reader = number;
		FindConditions(local.conditions);
		local.executor = nullptr;
		local.raw.Destroy();
		if (expression_map.empty()) {
			return;
		}
		vector<LogicalType> types;
		local.executor = make_uniq<ExpressionExecutor>(context);
		for (idx_t position = 0; position < column_ids.size(); position++) {
			auto column = FileColumn(position);
			types.push_back(column.IsValid() ? columns[column.GetIndex()].type : LogicalType::ROW_TYPE);
			if (auto conversion = ConversionAt(*this, position)) {
				local.executor->AddExpression(*conversion);
			}
		}
		local.raw.Initialize(BufferAllocator::Get(context), types);
	}

	// Converts the columns that need it, and passes the others on.
	void Convert(LocalState &local, DataChunk &chunk, idx_t rows) {
		idx_t expression = 0;
		for (idx_t position = 0; position < column_ids.size(); position++) {
			if (!ConversionAt(*this, position)) {
				chunk.data[position].Reference(local.raw.data[position]);
				continue;
			}
			DataChunk input;
			input.InitializeEmpty({local.raw.data[position].GetType()});
			input.data[0].Reference(local.raw.data[position]);
			input.SetChildCardinality(rows);
			local.executor->SetChunk(input);
			local.executor->ExecuteExpression(expression++, chunk.data[position]);
		}
		chunk.SetChildCardinality(rows);
	}

	// Applies the conditions that the engine did not evaluate. Returns the number of passing rows.
	idx_t Filter(LocalState &local, DataChunk &chunk, idx_t rows) {
		if (local.conditions.own_side.empty()) {
			return rows;
		}
		SelectionVector selection;
		auto passing = rows;
		for (auto index : local.conditions.own_side) {
			auto &condition = local.conditions.all[index];
			passing = condition.Evaluate(chunk.data[condition.position], selection, rows, passing);
			if (passing == 0) {
				break;
			}
		}
		if (passing == 0) {
			chunk.Reset();
		} else if (passing < rows) {
			chunk.Slice(selection, passing);
		}
		return passing;
	}

	unique_ptr<BaseStatistics> ColumnStatistics(idx_t column) {
		unique_ptr<BaseStatistics> result;
		auto is_whole = ForEachGroup(*engine, handle, column, columns[column].type, [&](GroupStatistics group) {
			if (result) {
				result->Merge(group.statistics);
			} else {
				result = group.statistics.ToUnique();
			}
		});
		return is_whole ? std::move(result) : nullptr;
	}
};

struct UnionData : public BaseUnionData {
	explicit UnionData(OpenFileInfo file) : BaseUnionData(std::move(file)) {
	}

	// The footer of a local file, which needs no open file.
	shared_ptr<BaseFileReader> footer;

	unique_ptr<BaseStatistics> GetStatistics(ClientContext &context, const Name &name) override {
		return footer ? footer->GetStatistics(context, name) : nullptr;
	}
};

inline shared_ptr<BaseUnionData> Reader::GetUnionData(idx_t file_index) {
	auto result = make_shared_ptr<UnionData>(file);
	for (auto &column : columns) {
		result->names.push_back(TextOf(column.name));
		result->types.push_back(column.type);
	}
	if (is_local_file) {
		result->footer = shared_from_this();
	}
	// DuckDB takes a file with a reader for one that is open, and may do so for the first alone.
	if (file_index == 0) {
		result->reader = shared_from_this();
	}
	return result;
}

} // namespace pelton
