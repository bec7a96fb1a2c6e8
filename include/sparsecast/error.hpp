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

/// What kind of failure; exit_status() tells the command line's exit status for each.
enum class ErrorCode : int {
  failed = 1,         ///< the work was understood but could not be done (disk full, no profile yet)
  usage = 2,          ///< the call itself is wrong: unknown name, contradictory options
  bad_input = 3,      ///< a file does not hold what it should
  unavailable = 4,    ///< that device or optional component is not here
  too_large = 5,      ///< a sound matrix or format needs more memory, or wider integers, than there is
  interrupted = 130,  ///< stopped by the user; what was measured so far is kept
};

/// The status with which the `sparsecast` command ends: the code's own value, and 1 for too_large, which is a way to
/// fail. Thread safety: safe from several threads at once.
[[nodiscard]] constexpr int exit_status(ErrorCode code) noexcept {
  return static_cast<int>(code == ErrorCode::too_large ? ErrorCode::failed : code);
}

/// Where in which input. Lines and columns count from 1; 0 means "not known". Thread safety: a value; threads may share
/// one that none of them changes.
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// What the library throws. Thread safety: immutable; threads may share one.
class Error : public std::exception {
 public:
  Error(ErrorCode code, wording::Text reason, Place place = {}, wording::Text remedy = {});

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const Place& place() const noexcept { return place_; }
  /// As the library says them, to a program in C++.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_in_library_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_in_library_; }
  /// What they mean: for another voice, and for an Error that is made of this one.
  [[nodiscard]] const wording::Text& reason_text() const noexcept { return reason_; }
  [[nodiscard]] const wording::Text& remedy_text() const noexcept { return remedy_; }
  /// "file:line:column: reason; remedy", leaving out what is not known. One line of UTF-8, up to 380 letters.
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  /// The same line for somebody else.
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
