#include "c_interface/remarks.hpp"

#include <sparsecast.h>

#include <mutex>
#include <string>

namespace sparsecast::c_interface {
namespace {
thread_local std::string last;
}  // namespace

struct Remarks::Lines {
  std::mutex mutex;
  std::string text;

  void add(std::string_view line) {
    const std::lock_guard lock(mutex);
    if (!text.empty()) text += '\n';
    text += line;
  }
};

Remarks::Remarks() : lines_(std::make_shared<Lines>()) { last.clear(); }

Remarks::~Remarks() {
  const std::lock_guard lock(lines_->mutex);
  last.swap(lines_->text);
}

Listener Remarks::listener() const {
  const auto add = [lines = lines_](std::string_view line) { lines->add(line); };
  return {.remark = add, .warning = add, .voice = Voice::c};
}
}  // namespace sparsecast::c_interface

const char* sparsecast_remarks() { return sparsecast::c_interface::last.c_str(); }
