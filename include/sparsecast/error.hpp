#pragma once
// The one exception that crosses the library's border. It says what went wrong (code and reason), where (file, line,
// column) and what to do about it. The library never prints and never aborts; the application turns an Error into one
// line on stderr and the code into its exit status. Reason and remedy may name options and questions, which each front
// end words in its own way (wording.hpp).

#include <cstdint>
#include <exception>
#include <sparsecast/wording.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Kinds of failure; exit_status() gives the exit status of the command for each.
enum class ErrorCode : int {
  failed = 1,         ///< the request is valid but could not be carried out (disk full, no profile yet)
  usage = 2,          ///< the call itself is wrong: unknown name, contradictory options
  bad_input = 3,      ///< a file has invalid contents
  unavailable = 4,    ///< the device or optional component does not exist here
  too_large = 5,      ///< a valid matrix or format needs more memory, or wider integers, than there are
  interrupted = 130,  ///< stopped by the user; the measurements made so far are kept
};

/// Returns the status with which the `sparsecast` command ends: the value of the code, or 1 for too_large. Thread
/// safety: safe from several threads at once.
[[nodiscard]] constexpr int exit_status(ErrorCode code) noexcept {
  return static_cast<int>(code == ErrorCode::too_large ? ErrorCode::failed : code);
}

/// The place of an error in an input. Lines and columns count from 1; 0 means "not known". Thread safety: a value;
/// threads may share one that none of them changes.
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// The exception that the library throws. Thread safety: immutable; threads may share one.
class Error : public std::exception {
 public:
  Error(ErrorCode code, wording::Text reason, Place place = {}, wording::Text remedy = {});

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const Place& place() const noexcept { return place_; }
  /// Reason and remedy in the words of the C++ library.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_in_library_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_in_library_; }
  /// Reason and remedy in a form that another front end can word, or that another Error can be made from.
  [[nodiscard]] const wording::Text& reason_text() const noexcept { return reason_; }
  [[nodiscard]] const wording::Text& remedy_text() const noexcept { return remedy_; }
  /// "file:line:column: reason; remedy", without the parts that are not known. One line of UTF-8, up to 380 letters.
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  /// The same line in the words of another front end.
  [[nodiscard]] std::string message(Voice voice) const;

 private:
  ErrorCode code_;
  wording::Text reason_;
  Place place_;
  wording::Text remedy_;
  std::string reason_in_library_, remedy_in_library_, message_;
};

}  // namespace sparsecast
#pragma GCC visibility pop
