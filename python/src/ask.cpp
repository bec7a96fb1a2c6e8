#include "ask.hpp"

#include <omp.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace sparsecast::python {
namespace {

namespace nb = nanobind;

// What the working thread leaves for the one that Python knows.
struct Letters {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::string> remarks;
  std::optional<ProgressStep> step;
  bool ended = false;
  std::exception_ptr failure;

  template <class Write>
  void leave(const Write& write) {
    const std::lock_guard lock(mutex);
    write();
    arrived.notify_one();
  }
  [[nodiscard]] bool any() const { return ended || !remarks.empty() || step; }
};

void work_on_this_thread(const std::function<void(const Listener&)>& work, std::stop_token stop, Letters& letters) {
  const auto remark = [&](std::string_view line) { letters.leave([&] { letters.remarks.emplace_back(line); }); };
  const auto progress = [&](const ProgressStep& step) { letters.leave([&] { letters.step = step; }); };
  try {
    work({.remark = remark, .warning = remark, .progress = progress, .stop = std::move(stop), .voice = Voice::python});
  } catch (...) {
    letters.failure = std::current_exception();
  }
  letters.leave([&] { letters.ended = true; });
}

// Calls Python with what has arrived. False where Python wants to stop; its exception is then set.
bool deliver(const std::vector<std::string>& remarks, const std::optional<ProgressStep>& step, const nb::object& remark,
             const nb::object& progress) {
  try {
    if (!remark.is_none())
      for (const std::string& line : remarks) remark(line);
    if (step && !progress.is_none()) progress(step->done, step->seconds_left, step->what);
  } catch (nb::python_error& error) {
    error.restore();
    return false;
  }
  return PyErr_CheckSignals() == 0;
}

// Whether a thread has room for its stack and for what is thread-local, without which the C library ends the process.
bool room_for_a_thread() {
  constexpr std::size_t beside_the_stack = 8U << 20;
  rlimit space{}, stack{};
  if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return true;
  ::getrlimit(RLIMIT_STACK, &stack);
  const std::size_t size = beside_the_stack + (stack.rlim_cur == RLIM_INFINITY ? beside_the_stack : stack.rlim_cur);
  void* const spare = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (spare == MAP_FAILED) return false;
  ::munmap(spare, size);
  return true;
}

}  // namespace

void run(const std::function<void(const Listener&)>& work, const nb::object& remark, const nb::object& progress) {
  using namespace std::chrono_literals;
  Letters letters;
  const int allowed = omp_get_max_threads();
  std::jthread runner;
  try {
    if (!room_for_a_thread()) throw std::system_error(ENOMEM, std::generic_category());
    runner = std::jthread([&](std::stop_token stop) {
      // What exceptions keep of a thread is had now: who is to say that memory ended has none left for it.
      static_cast<void>(std::atomic<int>(std::uncaught_exceptions()).load());
      omp_set_num_threads(allowed);  // a new thread does not know what its maker's limit is
      work_on_this_thread(work, std::move(stop), letters);
    });
  } catch (const std::system_error&) {  // no memory, or no more threads: nobody listens meanwhile
    const nb::gil_scoped_release others_may_run;
    work_on_this_thread(work, {}, letters);
  }
  std::optional<nb::python_error> stopped;
  for (bool ended = false; !ended;) {
    std::vector<std::string> remarks;
    std::optional<ProgressStep> step;
    {
      const nb::gil_scoped_release others_may_run;
      std::unique_lock lock(letters.mutex);
      letters.arrived.wait_for(lock, 50ms, [&] { return letters.any(); });
      remarks = std::exchange(letters.remarks, {});
      step = std::exchange(letters.step, {});
      ended = letters.ended;
    }
    if (!stopped && !deliver(remarks, step, remark, progress)) {
      stopped.emplace();  // takes the exception that is set
      runner.request_stop();
    }
  }
  {
    const nb::gil_scoped_release others_may_run;
    if (runner.joinable()) runner.join();
  }
  if (stopped) throw std::move(*stopped);
  if (letters.failure) std::rethrow_exception(letters.failure);
}

}  // namespace sparsecast::python
