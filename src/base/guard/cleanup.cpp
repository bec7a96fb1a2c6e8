#include "base/guard/cleanup.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <chrono>
#include <mutex>
#include <random>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include "base/interrupt.hpp"

namespace sparsecast::base {
namespace {
struct Leftovers {
  std::timed_mutex mutex;
  std::set<std::filesystem::path> paths;
};

// Never destroyed: another thread may still work when main() has ended.
Leftovers& leftovers() {
  static auto* const all = new Leftovers;
  return *all;
}
}  // namespace

void Leftover::watch(const std::filesystem::path& path) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().paths.insert(path_ = path);
}

void Leftover::forget() noexcept {
  if (path_.empty()) return;
  const std::lock_guard lock(leftovers().mutex);
  leftovers().paths.erase(path_);
  path_.clear();
}

void remove_leftovers() noexcept {
  // Whoever holds the lock may be stopped for good.
  const std::unique_lock lock(leftovers().mutex, std::chrono::milliseconds(100));
  if (!lock.owns_lock()) return;
  std::error_code ignored;
  for (const std::filesystem::path& path : leftovers().paths) std::filesystem::remove_all(path, ignored);
}

std::string unguessable_name() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
    std::random_device random;
    bits = std::uint64_t{random()} << 32 | random();
  }
  return fmt::format("{:016x}", bits);
}
}  // namespace sparsecast::base
