#include "c_interface/failure.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace sparsecast::c_interface {
namespace {
thread_local std::array<char, 2048> text{};  // an Error has at most 380 letters

int failed(int status, const char* why) noexcept {
  const std::size_t length = std::min(std::strlen(why), text.size() - 1);
  std::copy_n(why, length, text.begin());
  text[length] = 0;
  return status;
}
}  // namespace

int status_of_failure() noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return failed(refusal.status, refusal.text);
  } catch (const Error& error) {
    const int status = static_cast<int>(error.code());
    try {
      return failed(status, error.message(Voice::c).c_str());
    } catch (...) {
      return failed(status, error.what());
    }
  } catch (const std::bad_alloc&) {
    return failed(SPARSECAST_TOO_LARGE, "there is not enough memory");
  } catch (const std::exception& error) {
    return failed(SPARSECAST_INTERNAL, error.what());
  } catch (...) {
    return failed(SPARSECAST_INTERNAL, "an exception of no known kind");
  }
}
}  // namespace sparsecast::c_interface

const char* sparsecast_error_text() { return sparsecast::c_interface::text.data(); }

const char* sparsecast_status_text(int status) {
  switch (status) {
    case SPARSECAST_OK: return "done";
    case SPARSECAST_FAILED: return "the work could not be done";
    case SPARSECAST_USAGE: return "the call is wrong";
    case SPARSECAST_BAD_INPUT: return "a matrix or file does not hold what it should";
    case SPARSECAST_UNAVAILABLE: return "that device or optional part is missing";
    case SPARSECAST_TOO_LARGE: return "more memory or wider integers are needed than are available";
    case SPARSECAST_BAD_HANDLE: return "no such handle";
    case SPARSECAST_BUSY: return "another thread is using the handle";
    case SPARSECAST_INTERNAL: return "an internal error of the library";
    case SPARSECAST_INTERRUPTED: return "stopped by the caller";
    default: return "a status that this library does not know";
  }
}
