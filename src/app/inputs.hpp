#pragma once
// What several commands read before they start: matrices from the files and folders that a user names, the profile of
// the device that is meant.

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "app/commands.hpp"

namespace sparsecast::app {
using answers::collection_prefix;
using answers::other_precision_text;

class ProgressBar;
/// Remarks and warnings on stderr as the command says them, progress by the bar. Both must outlive what is done with
/// it.
[[nodiscard]] Listener listener_of(const Globals& globals, ProgressBar* bar = nullptr);

/// What every command tells of a request: precision, threads, and who listens.
template <class Request>
void tell_globals(Request& request, const Globals& globals, ProgressBar* bar = nullptr) {
  if constexpr (requires { request.product.precision; }) request.product.precision = globals.value_precision();
  if constexpr (requires { request.precision; }) request.precision = globals.value_precision();
  if constexpr (requires { request.threads; }) request.threads = globals.threads;
  request.listener = listener_of(globals, bar);
}

/// As those of answers/inputs.hpp, with a bar.
std::filesystem::path matrix_file(const std::string& given, const Globals& globals);
std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths, const Globals& globals);

/// Reads a file with the command's threads; what its format forbids and is read all the same is a
/// remark.
Matrix read_input(const std::filesystem::path& file, const Globals& globals);

/// Several inputs of which some may be bad: the others are answered all the same.
class Failures {
 public:
  /// `borne`: the kinds of errors of which one input's do not end the work on the others.
  explicit Failures(std::size_t inputs, std::vector<ErrorCode> borne = {ErrorCode::bad_input})
      : inputs_(inputs), borne_(std::move(borne)) {}
  [[nodiscard]] bool none() const { return errors_.empty(); }
  /// Does it. An Error that is borne is told at the end where there are several inputs; of one, or of another kind, at
  /// once.
  void attempt(const std::function<void()>& work);
  /// A line on stderr for every input that was bad, and the last as the Error that ends the command.
  void finish() const;

 private:
  std::size_t inputs_;
  std::vector<ErrorCode> borne_;
  std::vector<Error> errors_;
};
}  // namespace sparsecast::app
