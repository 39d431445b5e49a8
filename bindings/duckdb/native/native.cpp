// The table function `pelton_scan` by DuckDB's C++ interface, for exactly one version of DuckDB.
//
// DuckDB's own framework for readers of several files does the work that is the same for every
// format: lists of files, `union_by_name`, `filename`, Hive partitions, casts, the mapping of
// conditions to a file's columns. This layer gives it a reader of one file (`reader.h`), which
// passes each call on to Pelton's engine (`engine.h`). It is compiled against the headers of one
// version and linked to nothing of DuckDB's: the loader finds the host's symbols.

#include "copy.h"
#include "engine.h"
#include "errors.h"
#include "planning.h"
#include "reader.h"
#include "version.h"

#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include <algorithm>
#include <numeric>

namespace pelton {

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
	shared_ptr<PlannedFiles> files = make_shared_ptr<PlannedFiles>();

	unique_ptr<FunctionData> Copy() const override {
		auto result = make_uniq<BindData>();
		result->options = options;
		result->rows = rows;
		result->row_groups = row_groups;
		result->threads = threads;
		result->files = files;
		return std::move(result);
	}
};

struct GlobalState : public GlobalTableFunctionState {};

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

	unique_ptr<NodeStatistics> GetCardinality(ClientContext &context, const MultiFileBindData &bind_data,
	                                          idx_t file_count) override {
		auto &own = bind_data.bind_data->Cast<BindData>();
		if (file_count <= 1) {
			return make_uniq<NodeStatistics>(own.rows);
		}
		auto files = own.files->Open(context, bind_data, own.options);
		if (!files.empty()) {
			auto add = [](idx_t rows, const shared_ptr<Reader> &file) { return rows + file->Rows(); };
			return make_uniq<NodeStatistics>(std::accumulate(files.begin(), files.end(), idx_t(0), add));
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

// Returns the row groups of all files; empty if their rows are not known while a query is planned.
static vector<PartitionStatistics> Partitions(ClientContext &context, GetPartitionStatsInput &input) {
	auto &bind_data = input.bind_data->Cast<MultiFileBindData>();
	auto &own = bind_data.bind_data->Cast<BindData>();
	vector<PartitionStatistics> result;
	if (!own.options.ranges.IsNull() || !bind_data.initial_reader) {
		return result;
	}
	if (bind_data.file_list->GetExpandResult() == FileExpandResult::SINGLE_FILE) {
		AddPartitions(shared_ptr_cast<BaseFileReader, Reader>(bind_data.initial_reader), bind_data, result);
		return result;
	}
	for (auto &file : own.files->Open(context, bind_data, own.options)) {
		AddPartitions(std::move(file), bind_data, result);
	}
	return result;
}

// Returns the statistics of a column of several files, which DuckDB's framework does not ask for.
static unique_ptr<BaseStatistics> StatisticsOf(ClientContext &context, const FunctionData *data, idx_t column) {
	auto &bind_data = data->Cast<MultiFileBindData>();
	if (bind_data.file_list->GetExpandResult() != FileExpandResult::MULTIPLE_FILES ||
	    bind_data.file_options.union_by_name || column >= bind_data.names.size()) {
		return nullptr;
	}
	auto &own = bind_data.bind_data->Cast<BindData>();
	return Merged(context, own.files->Open(context, bind_data, own.options), bind_data, column);
}

static void Register(DatabaseInstance &database, const PeltonCopyEngine &copy) {
	using Function = MultiFileFunction<Interface>;
	Function function("pelton_scan");
	function.filter_pushdown = true;
	function.filter_prune = true;
	// Every condition on one column: DuckDB evaluates it on the columns that are decoded first.
	function.pushdown_expression = [](ClientContext &, const LogicalGet &, Expression &) {
		return true;
	};
	// Queries with a small LIMIT read the other columns of those rows only, by their row numbers.
	function.late_materialization = true;
	function.get_row_id_columns = [](ClientContext &, optional_ptr<FunctionData>) {
		return vector<column_t> {MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX,
		                         MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER};
	};
	function.get_partition_stats = Partitions;
	Complete<StatisticsOf>(function);
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

// Makes a vector refer to `count` new entries of a dictionary with a name, its first row to the
// first entry, and so on. Returns the vector of the entries, which live as long as any vector has
// them; null if DuckDB has no memory for it.
extern "C" __attribute__((visibility("default"))) void *pelton_native_name_entries(void *vector, void *type,
                                                                                   uint64_t count) {
	try {
		using namespace duckdb;
		auto entries = DictionaryVector::CreateReusableDictionary(*static_cast<LogicalType *>(type), count);
		auto &data = entries->data;
		pelton::Refer(*static_cast<Vector *>(vector), std::move(entries), SelectionVector(idx_t(0), idx_t(count)), count);
		return &data;
	} catch (...) {
		return nullptr;
	}
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
