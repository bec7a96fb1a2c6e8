#include "commands.hpp"

#include <nanobind/stl/string.h>
#include <omp.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/run.hpp"
#include "base/interrupt.hpp"

namespace sparsecast::python {
namespace {

namespace nb = nanobind;

// What the running thread leaves for the one that Python knows.
struct Letters {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::string> remarks;
  std::optional<base::ProgressStep> step;
  bool ended = false;
  std::string text;
  std::exception_ptr failure;

  [[nodiscard]] bool any() const { return ended || !remarks.empty() || step; }
};

void run_on_this_thread(std::vector<std::string> arguments, Letters& letters) {
  app::Outlet outlet;
  outlet.remark = [&](std::string_view line) {
    const std::lock_guard lock(letters.mutex);
    letters.remarks.emplace_back(line);
    letters.arrived.notify_one();
  };
  outlet.progress = [&](const base::ProgressStep& step) {
    const std::lock_guard lock(letters.mutex);
    letters.step = step;
    letters.arrived.notify_one();
  };
  try {
    letters.text = app::run_within(std::move(arguments), outlet);
  } catch (...) {
    letters.failure = std::current_exception();
  }
  const std::lock_guard lock(letters.mutex);
  letters.ended = true;
  letters.arrived.notify_one();
}

// Calls Python with what has arrived. False where Python wants to stop; its exception is then set.
bool deliver(std::vector<std::string> remarks, const std::optional<base::ProgressStep>& step, const nb::object& remark,
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

}  // namespace

std::string run_command(std::vector<std::string> arguments, const nb::object& remark, const nb::object& progress) {
  using namespace std::chrono_literals;
  Letters letters;
  const int allowed = omp_get_max_threads();
  std::thread runner([&] {
    omp_set_num_threads(allowed);  // a new thread does not know what its maker's limit is
    run_on_this_thread(std::move(arguments), letters);
  });
  std::optional<nb::python_error> stopped;
  for (bool ended = false; !ended;) {
    std::vector<std::string> remarks;
    std::optional<base::ProgressStep> step;
    {
      const nb::gil_scoped_release others_may_run;
      std::unique_lock lock(letters.mutex);
      letters.arrived.wait_for(lock, 50ms, [&] { return letters.any(); });
      remarks = std::exchange(letters.remarks, {});
      step = std::exchange(letters.step, {});
      ended = letters.ended;
    }
    if (!stopped && !deliver(std::move(remarks), step, remark, progress)) {
      stopped.emplace();  // takes the exception that is set
      base::request_interrupt();
    }
  }
  {
    const nb::gil_scoped_release others_may_run;
    runner.join();
  }
  if (stopped) {
    base::forget_interrupt();
    throw std::move(*stopped);
  }
  if (letters.failure) std::rethrow_exception(letters.failure);
  return std::move(letters.text);
}

}  // namespace sparsecast::python
