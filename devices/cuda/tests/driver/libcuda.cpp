// A CUDA driver for tests: the functions that Pelton calls, on the host's memory. It can't run
// machine code; it has two kernels of its own. It makes wrong use of a driver show:
// - Work is done as late as possible: when a caller waits, not when it is queued.
// - Every function needs the context to be the thread's.
// - Work that touches memory that is not allocated, or was freed, ends the process with a message.
// - After a failed kernel every call fails.
// Each call is a line in the file FAKE_LOG. FAKE_VERSION, FAKE_DEVICES and FAKE_MEMORY change its
// properties.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace {

enum Result : int {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_IMAGE = 200, INVALID_CONTEXT = 201,
  NOT_FOUND = 500, NOT_READY = 600, LAUNCH_FAILED = 719
};

struct Stream {
  std::deque<std::function<void()>> work;
  uint64_t queued = 0, done = 0;
};
struct Event {
  Stream* stream = nullptr;
  uint64_t ticket = 0;
  float time = 0;
  bool timed;
};
struct Function {
  std::string name;
};

std::recursive_mutex lock;
int context;  // its address is the context
thread_local void* current = nullptr;
Result sticky = SUCCESS;
float now = 0;
std::map<uint64_t, size_t> allocations;
size_t allocated = 0;

long setting(const char* name, long otherwise) {
  const char* value = getenv(name);
  return value ? atol(value) : otherwise;
}

void log_call(const char* call) {
  static FILE* file = fopen(getenv("FAKE_LOG") ? getenv("FAKE_LOG") : "/dev/null", "a");
  fprintf(file, "%s\n", call);
  fflush(file);
}

#define CALL                                              \
  std::lock_guard<std::recursive_mutex> guard(lock);      \
  log_call(__func__);                                     \
  if (sticky) return sticky
#define CALL_IN_CONTEXT \
  CALL;                 \
  if (current != &context) return INVALID_CONTEXT

[[noreturn]] void die(const char* what, uint64_t address, size_t bytes) {
  fprintf(stderr, "fake driver: %s: %zu bytes at %#llx\n", what, bytes, (unsigned long long)address);
  abort();
}

// Device memory must be inside one allocation when the work is done, not when it is queued.
void* device(const char* what, uint64_t address, size_t bytes) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) die(what, address, bytes);
  auto in = std::prev(after);
  if (address + bytes > in->first + in->second) die(what, address, bytes);
  return reinterpret_cast<void*>(address);
}

void run_until(Stream* stream, uint64_t ticket) {
  while (stream->done < ticket) {
    auto work = std::move(stream->work.front());
    stream->work.pop_front();
    if (!sticky) work();
    now += 0.25f;
    stream->done++;
  }
}

void queue(Stream* stream, std::function<void()> work) {
  stream->work.push_back(std::move(work));
  stream->queued++;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) { CALL; return setting("FAKE_DEVICES", 1) ? SUCCESS : NO_DEVICE; }
Result cuDriverGetVersion(int* version) { *version = (int)setting("FAKE_VERSION", 13000); return SUCCESS; }
Result cuDeviceGetCount(int* count) { CALL; *count = (int)setting("FAKE_DEVICES", 1); return SUCCESS; }
Result cuDeviceGet(int* device, int ordinal) { CALL; *device = ordinal; return SUCCESS; }
Result cuDeviceGetName(char* name, int bytes, int) { CALL; snprintf(name, bytes, "Fake GPU"); return SUCCESS; }
Result cuDeviceTotalMem_v2(size_t* bytes, int) { CALL; *bytes = setting("FAKE_MEMORY", 1 << 20); return SUCCESS; }
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  CALL;
  switch (attribute) {
    case 16: *value = 132; return SUCCESS;
    case 75: *value = (int)setting("FAKE_MAJOR", 9); return SUCCESS;
    case 76: *value = 0; return SUCCESS;
    case 115: *value = 1; return SUCCESS;
  }
  return INVALID_VALUE;
}
Result cuDevicePrimaryCtxRetain(void** made, int) { CALL; *made = &context; return SUCCESS; }
Result cuDevicePrimaryCtxRelease_v2(int) { CALL; return SUCCESS; }
Result cuCtxSetCurrent(void* made) { CALL; current = made; return SUCCESS; }
Result cuCtxSynchronize() { CALL_IN_CONTEXT; return SUCCESS; }
Result cuGetErrorName(Result, const char** text) { *text = "FAKE"; return SUCCESS; }
Result cuGetErrorString(Result, const char** text) { *text = "a fake error"; return SUCCESS; }

Result cuStreamCreate(Stream** stream, unsigned flags) {
  CALL_IN_CONTEXT;
  if (flags != 1) return INVALID_VALUE;  // CU_STREAM_NON_BLOCKING
  *stream = new Stream;
  return SUCCESS;
}
// Streams stay in memory: other streams' work may wait for theirs.
Result cuStreamDestroy_v2(Stream* stream) { CALL_IN_CONTEXT; run_until(stream, stream->queued); return sticky; }
Result cuStreamSynchronize(Stream* stream) { CALL_IN_CONTEXT; run_until(stream, stream->queued); return sticky; }
Result cuStreamWaitEvent(Stream* stream, Event* event, unsigned flags) {
  CALL_IN_CONTEXT;
  if (flags != 0) return INVALID_VALUE;
  Stream* other = event->stream;
  uint64_t ticket = event->ticket;
  queue(stream, [=] { if (other) run_until(other, ticket); });
  return SUCCESS;
}
Result cuEventCreate(Event** event, unsigned flags) {
  CALL_IN_CONTEXT;
  *event = new Event;
  (*event)->timed = flags == 0;
  return SUCCESS;
}
Result cuEventDestroy_v2(Event*) { CALL_IN_CONTEXT; return SUCCESS; }
Result cuEventRecord(Event* event, Stream* stream) {
  CALL_IN_CONTEXT;
  queue(stream, [=] { event->time = now; });
  event->stream = stream;
  event->ticket = stream->queued;
  return SUCCESS;
}
Result cuEventQuery(Event* event) {
  CALL_IN_CONTEXT;
  return !event->stream || event->stream->done >= event->ticket ? SUCCESS : NOT_READY;
}
Result cuEventSynchronize(Event* event) {
  CALL_IN_CONTEXT;
  if (event->stream) run_until(event->stream, event->ticket);
  return sticky;
}
Result cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  CALL_IN_CONTEXT;
  if (!start->timed || !end->timed || end->stream->done < end->ticket) return INVALID_VALUE;
  *milliseconds = end->time - start->time;
  return SUCCESS;
}

Result cuDeviceGetDefaultMemPool(void** pool, int) { CALL; *pool = &context; return SUCCESS; }
Result cuMemPoolSetAttribute(void*, int attribute, void*) { CALL; return attribute == 3 || attribute == 4 ? SUCCESS : INVALID_VALUE; }
Result cuMemPoolTrimTo(void*, size_t) { CALL; return SUCCESS; }
Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  CALL_IN_CONTEXT;
  *total = setting("FAKE_MEMORY", 1 << 20);
  *free = *total - allocated;
  return SUCCESS;
}
Result cuMemAllocAsync(uint64_t* address, size_t bytes, Stream*) {
  CALL_IN_CONTEXT;
  if (bytes == 0) return INVALID_VALUE;
  if (allocated + bytes > (size_t)setting("FAKE_MEMORY", 1 << 20)) return OUT_OF_MEMORY;
  void* memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
  memset(memory, 0xA5, bytes);
  *address = reinterpret_cast<uint64_t>(memory);
  allocations[*address] = bytes;
  allocated += bytes;
  return SUCCESS;
}
Result cuMemFreeAsync(uint64_t address, Stream* stream) {
  CALL_IN_CONTEXT;
  queue(stream, [=] {
    auto found = allocations.find(address);
    if (found == allocations.end()) die("freed twice", address, 0);
    allocated -= found->second;
    allocations.erase(found);
    free(reinterpret_cast<void*>(address));
  });
  return SUCCESS;
}
Result cuMemHostAlloc(void** memory, size_t bytes, unsigned) { CALL_IN_CONTEXT; *memory = malloc(bytes); return SUCCESS; }
Result cuMemFreeHost(void* memory) { CALL_IN_CONTEXT; free(memory); return SUCCESS; }

Result cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, Stream* stream) {
  CALL_IN_CONTEXT;
  queue(stream, [=] { memcpy(device("upload", to, bytes), from, bytes); });
  return SUCCESS;
}
Result cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, Stream* stream) {
  CALL_IN_CONTEXT;
  queue(stream, [=] { memcpy(to, device("download", from, bytes), bytes); });
  return SUCCESS;
}
Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Stream* stream) {
  CALL_IN_CONTEXT;
  queue(stream, [=] { memcpy(device("copy", to, bytes), device("copy", from, bytes), bytes); });
  return SUCCESS;
}
Result cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, Stream* stream) {
  CALL_IN_CONTEXT;
  queue(stream, [=] { memset(device("fill", to, bytes), byte, bytes); });
  return SUCCESS;
}

Result cuModuleLoadData(void** module, const void* image) {
  CALL_IN_CONTEXT;
  if (memcmp(image, "\x7f" "ELF", 4) != 0) return INVALID_IMAGE;
  *module = &context;
  return SUCCESS;
}
Result cuModuleUnload(void*) { CALL_IN_CONTEXT; return SUCCESS; }
Result cuModuleGetFunction(Function** function, void*, const char* name) {
  CALL_IN_CONTEXT;
  if (strcmp(name, "add_one") != 0 && strcmp(name, "crash") != 0) return NOT_FOUND;
  *function = new Function{name};
  return SUCCESS;
}
Result cuFuncGetParamInfo(Function*, size_t index, size_t* offset, size_t* bytes) {
  CALL_IN_CONTEXT;
  if (index != 0) return INVALID_VALUE;
  *offset = 0;
  *bytes = 16;
  return SUCCESS;
}
#ifndef WITHOUT_LAUNCH
Result cuLaunchKernel(Function* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      Stream* stream, void** params, void**) {
  CALL_IN_CONTEXT;
  if (function->name == "crash") {
    queue(stream, [] { sticky = LAUNCH_FAILED; });
    return SUCCESS;
  }
  uint64_t copy[2];
  memcpy(copy, params[0], sizeof copy);
  uint64_t address = copy[0], bytes = copy[1];
  queue(stream, [=] {
    unsigned char* memory = static_cast<unsigned char*>(device("kernel", address, bytes));
    for (uint64_t i = 0; i < bytes; i++) memory[i]++;
  });
  return SUCCESS;
}
#endif

}  // extern "C"
