#pragma once
// How a call of the C interface ends: its status, and on the calling thread the text of what failed, in C's words.
// Where there is no memory for those it is told as the library says it, which allocates nothing.

#include <sparsecast.h>

#include <sparsecast/error.hpp>
#include <string>

namespace sparsecast::c_interface {

/// What only this interface can find wrong: a handle, and who else is using it.
struct Refusal {
  sparsecast_status status;
  const char* text;
};

[[noreturn]] inline void refuse_usage(std::string text, std::string remedy = {}) {
  throw Error(ErrorCode::usage, std::move(text), {}, std::move(remedy));
}
/// Error usage for a NULL pointer.
template <class T>
T& there(T* pointer, const char* name) {
  if (pointer == nullptr) refuse_usage(std::string(name) + " is NULL");
  return *pointer;
}

/// The status of the exception that is being handled; its text becomes this thread's.
int status_of_failure() noexcept;

/// Runs a call. No exception passes.
template <class Call>
int guarded(const Call& call) noexcept {
  try {
    call();
    return SPARSECAST_OK;
  } catch (...) {
    return status_of_failure();
  }
}

}  // namespace sparsecast::c_interface
