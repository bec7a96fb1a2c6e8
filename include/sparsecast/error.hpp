#pragma once
// The one exception that crosses the library's border. It says what went wrong (code and reason), where (file, line,
// column) and what to do about it. The library never prints and never aborts; the application turns an Error into one
// line on stderr and the code into its exit status.

#include <cstdint>
#include <exception>
#include <string>

namespace sparsecast {

/// What kind of failure. The values are the exit statuses of the command line.
enum class ErrorCode : int {
  failed = 1,         ///< the work was understood but could not be done (no memory, disk full, no profile yet)
  usage = 2,          ///< the call itself is wrong: unknown name, contradictory options
  bad_input = 3,      ///< a file does not hold what it should
  unavailable = 4,    ///< that device or optional component is not here
  interrupted = 130,  ///< stopped by the user; what was measured so far is kept
};

/// Where in which input. Lines and columns count from 1; 0 means "not known".
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string reason, Place place = {}, std::string remedy = {});

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const Place& place() const noexcept { return place_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }
  /// "file:line:column: reason (remedy)", leaving out what is not known.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorCode code_;
  std::string reason_;
  Place place_;
  std::string remedy_;
  std::string text_;
};

}  // namespace sparsecast
