// A library to preload (LD_PRELOAD): makes the nth allocation, write, fsync, rename, mmap, file lock, thread start or
// child start of a program fail as the system would, or the wall clock jump twenty years ahead or back when it is asked
// for the nth time. scripts/faults walks n.
//   SPARSECAST_FAULT=KIND:N     the Nth of that kind, counted from 1; "N+": that one and all behind it
//   SPARSECAST_FAULT=count      none fails, and those of all kinds are counted
//   SPARSECAST_FAULT_COUNT=FILE  at the end, how many there were, a line a kind
//   SPARSECAST_FAULT_TRACE=1     the callers of what fails, on stderr
// Counting begins with main(). Allocations count once for each place that they are asked from (the last callers), or
// there would be millions that differ in nothing. Children of the program have no faults.

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

enum class Kind { none, allocation, write, fsync, rename, mmap, lock, thread, child, clock, count };
constexpr int kinds = static_cast<int>(Kind::count);
constexpr const char* names[] = {"none", "allocation", "write", "fsync", "rename", "mmap",
                                 "lock", "thread",     "child", "clock", "count"};

Kind kind = Kind::none;
long wanted = 0;
bool all_behind = false, trace = false;
std::atomic<bool> counting{false};
std::atomic<long> seen[kinds];                                                // of each kind
thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;  // of this library

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name) static const auto next = real<decltype(&::name)>(#name)

bool watched(Kind what) { return kind == what || kind == Kind::count; }
// Whether this call is the one, or one of those, that fail.
bool fails(Kind what) {
  if (!watched(what) || !counting.load(std::memory_order_relaxed)) return false;
  const long now = ++seen[static_cast<int>(what)];
  if (wanted <= 0 || now < wanted || (now > wanted && !all_behind)) return false;
  if (trace && now == wanted) {
    void* callers[64];
    ::backtrace_symbols_fd(callers, ::backtrace(callers, 64), STDERR_FILENO);
  }
  return true;
}

// Whether nobody has asked from here before: the last callers' addresses, hashed.
bool is_new_place() {
  constexpr int depth = 10, own = 2;
  constexpr std::size_t places = 1 << 18;
  static std::atomic<std::uint64_t> known[places];
  void* callers[depth];
  const int count = ::backtrace(callers, depth);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (int k = own; k < count; ++k) hash = (hash ^ reinterpret_cast<std::uintptr_t>(callers[k])) * 0x9e3779b97f4a7c15U;
  hash |= 1;
  for (std::uint64_t tried = 0, at = hash >> 40; tried < 64; ++tried, ++at) {
    std::uint64_t found = 0;
    if (known[at % places].compare_exchange_strong(found, hash)) return true;
    if (found == hash) return false;
  }
  return false;
}

// What the C library, hwloc or libgomp do without memory is theirs: those that count are C++'s, SQLite's and our own.
bool is_ours(const void* caller) {
  Dl_info about{};
  if (::dladdr(caller, &about) == 0 || about.dli_fname == nullptr) return false;
  const char* const file = about.dli_fname;
  return std::strstr(file, "libstdc++") != nullptr || std::strstr(file, "libsqlite3") != nullptr ||
         std::strstr(file, "sparsecast") != nullptr;
}

bool allocation_fails(const void* caller) {
  if (!watched(Kind::allocation) || inside || !counting.load(std::memory_order_relaxed)) return false;
  inside = true;
  const bool again = all_behind && wanted > 0 && seen[static_cast<int>(Kind::allocation)] >= wanted;
  const bool failed = (is_new_place() || again) && is_ours(caller) && fails(Kind::allocation);
  inside = false;
  if (failed) errno = ENOMEM;
  return failed;
}

bool fails_with(Kind what, int error) {
  if (!fails(what)) return false;
  errno = error;
  return true;
}

// Seconds by which the wall clock is wrong now; with "N+" another way each time.
std::time_t jump() {
  if (!watched(Kind::clock)) return 0;
  constexpr std::time_t twenty_years = 20L * 365 * 86400;
  static std::atomic<std::time_t> wrong{0};
  if (fails(Kind::clock))
    wrong = wrong > 0 || (wrong == 0 && seen[static_cast<int>(Kind::clock)] % 2 == 0) ? -twenty_years : twenty_years;
  return wrong;
}

void read_wish() {
  const char* const text = std::getenv("SPARSECAST_FAULT");
  if (text == nullptr) return;
  const char* const colon = std::strchr(text, ':');
  const std::size_t length = colon != nullptr ? static_cast<std::size_t>(colon - text) : std::strlen(text);
  for (int k = 1; k <= kinds; ++k)
    if (std::strlen(names[k]) == length && std::strncmp(text, names[k], length) == 0) kind = static_cast<Kind>(k);
  if (colon != nullptr) {
    char* end = nullptr;
    wanted = std::strtol(colon + 1, &end, 10);
    all_behind = *end == '+';
  }
  trace = std::getenv("SPARSECAST_FAULT_TRACE") != nullptr;
  ::unsetenv("LD_PRELOAD");
  void* one = nullptr;
  static_cast<void>(::backtrace(&one, 1));  // loads what it needs
}

void write_count() {
  counting = false;
  const char* const file = std::getenv("SPARSECAST_FAULT_COUNT");
  if (file == nullptr) return;
  const int descriptor = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  for (int k = 1; k < kinds; ++k) static_cast<void>(!::dprintf(descriptor, "%s %ld\n", names[k], seen[k].load()));
  ::close(descriptor);
}

int (*real_main)(int, char**, char**) = nullptr;
int counted_main(int argc, char** argv, char** variables) {
  std::atexit(write_count);
  counting = true;
  return real_main(argc, argv, variables);
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  read_wish();
  real_main = main;
  const auto next = real<decltype(&__libc_start_main)>("__libc_start_main");
  return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(std::size_t size) { return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return size > 0 && allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const memory = allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

// stderr and pipes have room on a full disk: what fails is a write to a file.
ssize_t write(int file, const void* bytes, std::size_t count) {
  REAL(write);
  return file > STDERR_FILENO && fails_with(Kind::write, ENOSPC) ? -1 : next(file, bytes, count);
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t offset) {
  REAL(pwrite);
  return fails_with(Kind::write, ENOSPC) ? -1 : next(file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off64_t offset) {
  REAL(pwrite64);
  return fails_with(Kind::write, ENOSPC) ? -1 : next(file, bytes, count, offset);
}
ssize_t writev(int file, const iovec* parts, int count) {
  REAL(writev);
  return fails_with(Kind::write, ENOSPC) ? -1 : next(file, parts, count);
}
// stdio writes within the C library, where nothing can be put between: its calls fail as if the write below them had.
std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
  REAL(fwrite);
  return file != stderr && fails_with(Kind::write, ENOSPC) ? 0 : next(bytes, size, count, file);
}
int fflush(FILE* file) {
  REAL(fflush);
  return file != stderr && fails_with(Kind::write, ENOSPC) ? EOF : next(file);
}

int clock_gettime(clockid_t which, timespec* now) noexcept {
  REAL(clock_gettime);
  const int result = next(which, now);
  if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE) now->tv_sec += jump();
  return result;
}
int gettimeofday(timeval* now, void* zone) noexcept {
  REAL(gettimeofday);
  const int result = next(now, zone);
  now->tv_sec += jump();
  return result;
}
std::time_t time(std::time_t* now) noexcept {
  timespec at{};
  clock_gettime(CLOCK_REALTIME, &at);
  if (now != nullptr) *now = at.tv_sec;
  return at.tv_sec;
}

int fsync(int file) {
  REAL(fsync);
  return fails_with(Kind::fsync, EIO) ? -1 : next(file);
}
int fdatasync(int file) {
  REAL(fdatasync);
  return fails_with(Kind::fsync, EIO) ? -1 : next(file);
}
int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  return fails_with(Kind::rename, ENOSPC) ? -1 : next(from, to);
}
void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  REAL(mmap);
  return fails_with(Kind::mmap, ENOMEM) ? MAP_FAILED : next(address, size, protection, flags, file, offset);
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  REAL(mmap64);
  return fails_with(Kind::mmap, ENOMEM) ? MAP_FAILED : next(address, size, protection, flags, file, offset);
}
// As of a network's file system without locks.
int fcntl(int file, int command, ...) {
  REAL(fcntl);
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return command == F_SETLK && fails_with(Kind::lock, ENOLCK) ? -1 : next(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return fcntl(file, command, argument);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  REAL(pthread_create);
  return fails(Kind::thread) ? EAGAIN : next(thread, attributes, start, argument);
}
pid_t fork() noexcept {
  REAL(fork);
  if (fails_with(Kind::child, EAGAIN)) return -1;
  const pid_t id = next();
  if (id == 0) counting = false;
  return id;
}

pid_t _Fork() noexcept {
  REAL(_Fork);
  if (fails_with(Kind::child, EAGAIN)) return -1;
  const pid_t id = next();
  if (id == 0) counting = false;
  return id;
}

}  // extern "C"
