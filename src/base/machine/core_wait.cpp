#include "base/machine/core_wait.hpp"

#include <fstream>
#include <system_error>

namespace sparsecast::base {
namespace fs = std::filesystem;

CoreWait::CoreWait(fs::path tasks) : tasks_(std::move(tasks)), begun_(spent()) {}

std::map<std::string, CoreWait::Spent> CoreWait::spent() const {
  std::map<std::string, Spent> all;
  std::error_code none;
  for (fs::directory_iterator task(tasks_, none), end; !none && task != end; task.increment(none)) {
    std::ifstream file(task->path() / "schedstat");
    // A thread that has ended meanwhile has no file.
    if (Spent one; file >> one.ran_ns >> one.waited_ns) all.emplace(task->path().filename().string(), one);
  }
  return all;
}

std::optional<double> CoreWait::share(double least_s) const {
  Spent since;
  for (const auto& [thread, now] : spent()) {
    const auto before = begun_.find(thread);
    const Spent then = before == begun_.end() ? Spent{} : before->second;
    // Another thread has its number now.
    const Spent& from = now.ran_ns < then.ran_ns || now.waited_ns < then.waited_ns ? Spent{} : then;
    since.ran_ns += now.ran_ns - from.ran_ns;
    since.waited_ns += now.waited_ns - from.waited_ns;
  }
  const double wanted_ns = since.ran_ns + since.waited_ns;
  if (!(wanted_ns >= 1e9 * least_s) || wanted_ns == 0) return std::nullopt;
  return since.waited_ns / wanted_ns;
}
}  // namespace sparsecast::base
