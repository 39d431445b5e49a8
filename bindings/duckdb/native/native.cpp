// The table function `pelton_scan` by DuckDB's C++ interface, for exactly one version of DuckDB.
//
// DuckDB's own framework for readers of several files does the work that is the same for every
// format: lists of files, `union_by_name`, `filename`, Hive partitions, casts, the mapping of
// conditions to a file's columns. This layer gives it a reader of one file, which passes each call
// on to Pelton's engine (`engine.h`). It is compiled against the headers of one version and linked
// to nothing of DuckDB's: the loader finds the host's symbols.

#include "copy.h"
#include "engine.h"
#include "errors.h"
#include "version.h"

#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/storage/statistics/numeric_stats.hpp"

#include <algorithm>

namespace pelton {

// The engine's functions, set once when the layer is registered.
static const PeltonEngine *engine;

// An error of the engine's as an exception.
[[noreturn]] static void Raise(char *error) {
	RaiseError(error, engine->free_error);
}

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
			for (idx_t row = 0; row < count; row++) {
				passing[row] = UnsafeNumericCast<uint32_t>(selection.get_index(row));
			}
			return UnsafeNumericCast<int64_t>(count);
		});
	}

	static int32_t MayHold(void *self, uint64_t condition, void *mins, void *maxes, uint64_t count, uint8_t *may,
	                       char **error);
};

static bool HasBounds(const LogicalType &type) {
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

// Statistics of values between two bounds; a null bound is unknown.
static BaseStatistics Between(const LogicalType &type, const Value &min, const Value &max) {
	if (type.InternalType() == PhysicalType::VARCHAR) {
		auto result = StringStats::CreateUnknown(type);
		if (!min.IsNull()) {
			SetMin(result, StringValue::Get(min));
		}
		if (!max.IsNull()) {
			SetMax(result, StringValue::Get(max));
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

int32_t Conditions::MayHold(void *self, uint64_t condition, void *mins, void *maxes, uint64_t count, uint8_t *may,
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
			auto statistics = Between(low.GetType(), low.GetValue(index), high.GetValue(index));
			statistics.Set(StatsInfo::CAN_HAVE_NULL_AND_VALID_VALUES);
			may[index] = conditions.all[condition].MayHold(conditions.context, statistics);
		}
		return 0;
	});
}

// The arguments that DuckDB's framework does not take itself; NULL without one.
struct ReaderOptions : public BaseFileReaderOptions {
	Value device;
	Value ranges;
};

// A file of one of DuckDB's file systems that is not the local one.
struct HostFile {
	explicit HostFile(unique_ptr<FileHandle> handle) : handle(std::move(handle)) {
	}

	unique_ptr<FileHandle> handle;
	// File systems of users need not be made for several threads.
	mutex lock;

	static int32_t Read(void *self, void *to, uint64_t length, uint64_t offset, char **error) {
		return Guarded<int32_t>(-1, error, [&]() -> int32_t {
			auto &file = *static_cast<HostFile *>(self);
			lock_guard<mutex> guard(file.lock);
			file.handle->Read(to, length, offset);
			return 0;
		});
	}

	static void Close(void *self) {
		delete static_cast<HostFile *>(self);
	}
};

// Opens a file as DuckDB does, which decides whether it may be read. Returns whether the engine
// reads it by its name.
static bool OpenSource(ClientContext &context, const OpenFileInfo &info, PeltonSource &source) {
	auto handle = FileSystem::GetFileSystem(context).OpenFile(info, FileFlags::FILE_FLAGS_READ);
	auto &system = handle->file_system;
	if (system.GetName() == "LocalFileSystem" && !StringUtil::StartsWith(info.path, "file:")) {
		return true;
	}
	source.size = handle->GetFileSize();
	source.modified = Timestamp::GetEpochSeconds(system.GetLastModifiedTime(*handle));
	source.handle = new HostFile(std::move(handle));
	source.read = HostFile::Read;
	source.free_error = [](char *error) { free(error); };
	source.close = HostFile::Close;
	return false;
}

// Scan ranges that a row group may have, each for a thread.
static constexpr idx_t RANGES_OF_ROW_GROUP = 4;

// Rows that a file among several is taken to have at least.
static constexpr idx_t LEAST_ROWS = 1000;

struct BindData : public TableFunctionData {
	ReaderOptions options;
	idx_t rows = 0;
	idx_t row_groups = 0;
	// Number of threads that have enough memory.
	idx_t threads = 1;

	unique_ptr<FunctionData> Copy() const override {
		auto result = make_uniq<BindData>();
		result->options = options;
		result->rows = rows;
		result->row_groups = row_groups;
		result->threads = threads;
		return std::move(result);
	}
};

struct GlobalState : public GlobalTableFunctionState {};

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
		for (idx_t index = 0; index < file_columns; index++) {
			if (columns[index].name == name) {
				return ColumnStatistics(index);
			}
		}
		return nullptr;
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
		int64_t first_row = 0;
		auto filled = engine->fill(scan, local.stream, &read, &first_row, &error);
		if (filled < 0) {
			Raise(error);
		}
		auto rows = UnsafeNumericCast<idx_t>(filled);
		if (rows == 0) {
			chunk.SetChildCardinality(0);
			return SourceResultType::FINISHED;
		}
		for (idx_t position = 0; has_row_number && position < column_ids.size(); position++) {
			if (FileColumn(position).IsValid()) {
				continue;
			}
			auto numbers = RowNumbers(read.data[position]);
			for (idx_t row = 0; row < rows; row++) {
				numbers[row] = first_row + UnsafeNumericCast<int64_t>(row);
			}
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
	bool has_row_number = false;
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
			auto is_engines = column.IsValid() && !has_row_number && !ConversionAt(*this, position) &&
			                  !CanThrow(filter, *conditions.all.back().state);
			if (is_engines) {
				conditions.engine_side.push_back({column.GetIndex(), index});
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
			auto column = FileColumn(position);
			wanted.push_back(column.IsValid() ? UnsafeNumericCast<int64_t>(column.GetIndex()) : -1);
			has_row_number |= !column.IsValid();
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
		auto &type = columns[column].type;
		if (!HasBounds(type)) {
			return nullptr;
		}
		DataChunk bounds;
		bounds.Initialize(Allocator::DefaultAllocator(), {type, type});
		vector<uint8_t> nulls(STANDARD_VECTOR_SIZE);
		unique_ptr<BaseStatistics> result;
		idx_t from = 0;
		while (from < RowGroups()) {
			bounds.Reset();
			uint64_t count = 0;
			char *error = nullptr;
			auto found = engine->statistics(handle, column, from, &bounds, nulls.data(), &count, &error);
			if (found < 0) {
				// Statistics that can't be read are none.
				engine->free_error(error);
			}
			if (found <= 0 || count == 0) {
				return nullptr;
			}
			for (idx_t index = 0; index < count; index++) {
				auto group = Between(type, bounds.data[0].GetValue(index), bounds.data[1].GetValue(index));
				group.Set(StatsInfo::CAN_HAVE_NULL_AND_VALID_VALUES);
				if (nulls[index] == PELTON_NULLS_NONE) {
					group.Set(StatsInfo::CANNOT_HAVE_NULL_VALUES);
				} else if (nulls[index] == PELTON_NULLS_ALL) {
					group.Set(StatsInfo::CANNOT_HAVE_VALID_VALUES);
				}
				if (result) {
					result->Merge(group);
				} else {
					result = group.ToUnique();
				}
			}
			from += count;
		}
		return result;
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

shared_ptr<BaseUnionData> Reader::GetUnionData(idx_t file_index) {
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

// Checks that the columns of `ranges` are the file's own, with the type that the scan gives them:
// the engine decides them on the file.
static void CheckRanges(const Reader &reader, const ReaderOptions &options, const MultiFileBindData &bind_data) {
	if (options.ranges.IsNull() || options.ranges.type().id() != LogicalTypeId::STRUCT) {
		return;
	}
	for (auto &range : StructType::GetChildTypes(options.ranges.type())) {
		auto name = TextOf(range.first);
		auto is_it = [&](const Name &other) { return StringUtil::CIEquals(TextOf(other), name); };
		for (auto &hive : bind_data.reader_bind.hive_partitioning_indexes) {
			if (StringUtil::CIEquals(hive.value, name)) {
				throw BinderException("ranges: %s is a column of the files' paths; give its condition in WHERE", name);
			}
		}
		for (idx_t index = 0; index < bind_data.names.size(); index++) {
			if (!is_it(bind_data.names[index])) {
				continue;
			}
			for (auto &column : reader.GetColumns()) {
				if (is_it(column.name) && column.type != bind_data.types[index]) {
					throw BinderException("ranges: %s has another type in \"%s\"; give its condition in WHERE", name,
					                      reader.GetFileName());
				}
			}
		}
	}
}

// What DuckDB's framework needs to know of the format.
struct Interface : public MultiFileReaderInterface {
	static unique_ptr<MultiFileReaderInterface> CreateInterface(ClientContext &) {
		return make_uniq<Interface>();
	}

	unique_ptr<BaseFileReaderOptions> InitializeOptions(ClientContext &, optional_ptr<TableFunctionInfo>) override {
		return make_uniq<ReaderOptions>();
	}

	bool ParseCopyOption(ClientContext &, const Name &, const vector<Value> &, BaseFileReaderOptions &, vector<Name> &,
	                     vector<LogicalType> &) override {
		return false;
	}

	bool ParseOption(ClientContext &, const Name &key, const Value &value, MultiFileOptions &,
	                 BaseFileReaderOptions &options) override {
		auto &own = options.Cast<ReaderOptions>();
		if (key == "device") {
			own.device = value;
		} else if (key == "ranges") {
			own.ranges = value;
		} else {
			return false;
		}
		return true;
	}

	unique_ptr<TableFunctionData> InitializeBindData(MultiFileBindData &,
	                                                 unique_ptr<BaseFileReaderOptions> options) override {
		auto result = make_uniq<BindData>();
		result->options = options->Cast<ReaderOptions>();
		return std::move(result);
	}

	void BindReader(ClientContext &context, vector<LogicalType> &types, vector<Name> &names,
	                MultiFileBindData &bind_data) override {
		auto &own = bind_data.bind_data->Cast<BindData>();
		bind_data.reader_bind = bind_data.multi_file_reader->BindReader(
		    context, types, names, *bind_data.file_list, bind_data, own.options, bind_data.file_options);
	}

	void FinalizeBindData(MultiFileBindData &bind_data) override {
		if (!bind_data.initial_reader) {
			return;
		}
		auto &own = bind_data.bind_data->Cast<BindData>();
		auto &reader = bind_data.initial_reader->Cast<Reader>();
		own.rows = reader.Rows();
		own.row_groups = reader.RowGroups();
		own.threads = reader.Threads();
		CheckRanges(reader, own.options, bind_data);
	}

	optional_idx MaxThreads(const MultiFileBindData &bind_data, const MultiFileGlobalState &,
	                        FileExpandResult expand_result) override {
		auto &own = bind_data.bind_data->Cast<BindData>();
		if (expand_result == FileExpandResult::MULTIPLE_FILES) {
			return MaxValue<idx_t>(own.threads, 1);
		}
		return MaxValue<idx_t>(MinValue(own.row_groups * RANGES_OF_ROW_GROUP, own.threads), 1);
	}

	unique_ptr<GlobalTableFunctionState> InitializeGlobalState(ClientContext &, MultiFileBindData &,
	                                                           MultiFileGlobalState &) override {
		return make_uniq<GlobalState>();
	}

	unique_ptr<LocalTableFunctionState> InitializeLocalState(LocalStateContext &context,
	                                                         GlobalTableFunctionState &) override {
		return make_uniq<LocalState>(ClientOf(context));
	}

	shared_ptr<BaseFileReader> CreateReader(ClientContext &context, GlobalTableFunctionState &,
	                                        BaseUnionData &union_data, const MultiFileBindData &bind_data) override {
		auto &own = bind_data.bind_data->Cast<BindData>();
		auto result = make_shared_ptr<Reader>(context, union_data.file, own.options);
		CheckRanges(*result, own.options, bind_data);
		return result;
	}

	shared_ptr<BaseFileReader> CreateReader(ClientContext &context, GlobalTableFunctionState &,
	                                        const OpenFileInfo &file, idx_t,
	                                        const MultiFileBindData &bind_data) override {
		auto &own = bind_data.bind_data->Cast<BindData>();
		auto result = make_shared_ptr<Reader>(context, file, own.options);
		CheckRanges(*result, own.options, bind_data);
		return result;
	}

	shared_ptr<BaseFileReader> CreateReader(ClientContext &context, const OpenFileInfo &file,
	                                        BaseFileReaderOptions &options, const MultiFileOptions &) override {
		return make_shared_ptr<Reader>(context, file, options.Cast<ReaderOptions>());
	}

	unique_ptr<NodeStatistics> GetCardinality(ClientContext &, const MultiFileBindData &bind_data,
	                                          idx_t file_count) override {
		auto &own = bind_data.bind_data->Cast<BindData>();
		if (file_count <= 1) {
			return make_uniq<NodeStatistics>(own.rows);
		}
		// The first file stands for all, and may be an empty one.
		return make_uniq<NodeStatistics>(MaxValue(own.rows, LEAST_ROWS) * file_count);
	}

	void GetVirtualColumns(ClientContext &, MultiFileBindData &, virtual_column_map_t &result) override {
		result.insert(make_pair(MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER,
		                        TableColumn("file_row_number", LogicalType::BIGINT)));
	}

	unique_ptr<MultiFileReaderInterface> Copy() override {
		return make_uniq<Interface>();
	}

	FileGlobInput GetGlobInput() override {
		return FileGlobInput(FileGlobOptions::FALLBACK_GLOB, "parquet");
	}
};

// Checks by a constructor of the host's that it takes as many bytes for an object as this layer.
template <class T, class... ARGUMENTS>
static void CheckSize(const char *name, ARGUMENTS &&...arguments) {
	constexpr uint8_t MARK = 0xa5;
	constexpr idx_t WORD = sizeof(void *);
	alignas(T) uint8_t memory[sizeof(T) + 32 * WORD];
	memset(memory, MARK, sizeof(memory));
	auto object = new (memory) T(std::forward<ARGUMENTS>(arguments)...);
	auto is_mark = [](uint8_t byte) { return byte == MARK; };
	auto is_short = std::all_of(memory + sizeof(T) - WORD, memory + sizeof(T), is_mark);
	auto is_long = !std::all_of(memory + sizeof(T), memory + sizeof(memory), is_mark);
	object->~T();
	if (is_short || is_long) {
		throw InvalidInputException("this build of DuckDB has other structures: %s does not have %llu bytes", name,
		                            static_cast<uint64_t>(sizeof(T)));
	}
}

static void CheckSizes(ClientContext &context) {
	CheckSize<Value>("Value", 7);
	CheckSize<LogicalType>("LogicalType", LogicalTypeId::BIGINT);
	CheckSize<Vector>("Vector", LogicalType(LogicalTypeId::BIGINT));
	CheckSize<DataChunk>("DataChunk");
	CheckSize<ExpressionExecutor>("ExpressionExecutor", context);
	CheckSize<TableFunction>("TableFunction");
	CheckSize<TableFunctionRef>("TableFunctionRef");
}

static bool IsTrue(ClientContext &context, const char *setting) {
	Value value;
	return context.TryGetCurrentSetting(setting, value) && !value.IsNull() && value.type().id() == LogicalTypeId::BOOLEAN &&
	       BooleanValue::Get(value);
}

// Turns a call of `read_parquet` into one of `pelton_scan` if the user wants that and it has all of
// the call's options. Otherwise DuckDB goes on to bind its own reader.
static unique_ptr<TableRef> Replace(ClientContext &context, TableFunctionBindInput &input) {
	if (!IsTrue(context, "pelton_replace") || IsTrue(context, "binary_as_string")) {
		return nullptr;
	}
	for (auto &option : input.named_parameters) {
		auto is_shared = [&](const char *name) { return option.first == name; };
		if (std::none_of(std::begin(SHARED_OPTIONS), std::end(SHARED_OPTIONS), is_shared)) {
			return nullptr;
		}
	}
	auto result = make_uniq<TableFunctionRef>();
	result->function = CallOf("pelton_scan", input);
	result->with_ordinality = input.ref.with_ordinality;
	return std::move(result);
}

static void Register(DatabaseInstance &database, const PeltonCopyEngine &copy) {
	using Function = MultiFileFunction<Interface>;
	Function function("pelton_scan");
	function.filter_pushdown = true;
	function.filter_prune = true;
	Complete(function);
	ExtensionLoader loader(database, "pelton");
	loader.RegisterFunction(MultiFileReader::CreateFunctionSet(function));
	loader.RegisterFunction(MakeCopyFunction(copy));
	for (auto name : {"read_parquet", "parquet_scan"}) {
		if (auto entry = loader.TryGetTableFunction(name)) {
			auto &functions = entry->Cast<TableFunctionCatalogEntry>().functions;
			ForEachFunction(functions, [](TableFunction &function) { function.bind_replace = Replace; });
		}
	}
}

} // namespace pelton

// Returns an address in the DuckDB that the layer's symbols are of.
extern "C" __attribute__((visibility("default"))) const void *pelton_native_host() {
	return duckdb::DuckDB::LibraryVersion();
}

// Adds `pelton_scan` and the COPY format to the database of a connection, a `duckdb_connection`.
// Returns 0, or -1 and an error that the caller frees with `free`.
extern "C" __attribute__((visibility("default"))) int32_t pelton_native_register(void *connection,
                                                                                 const PeltonEngine *engine,
                                                                                 const PeltonCopyEngine *copy,
                                                                                 char **error) {
	return pelton::Guarded<int32_t>(-1, error, [&]() -> int32_t {
		if (engine->interface != PELTON_NATIVE_INTERFACE) {
			throw duckdb::InternalException("the native layer is of another version of Pelton");
		}
		pelton::engine = engine;
		auto &session = *static_cast<duckdb::Connection *>(connection);
		pelton::CheckSizes(*session.context);
		pelton::Register(*session.context->db, *copy);
		return 0;
	});
}
