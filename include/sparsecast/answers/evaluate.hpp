#pragma once
// evaluate: forecasts held against measured times, every model and kernel.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/evaluation.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

struct EvaluateRequest {
  std::vector<MatrixInput> matrices = {};
  std::string device = "host";
  std::filesystem::path records = {}, profile = {};
  std::string leave_out = {};
  std::string model = "all";
  bool stored = false;
  std::vector<std::string> kernels = {};
  ProductKind product = {};
  int threads = 0;
  bool no_store = false;
  Listener listener = {};
};
template <>
struct Fields<EvaluateRequest> {
  static constexpr std::string_view about = "What is judged.";
  static constexpr auto table = std::tuple(
      field<&EvaluateRequest::matrices>("matrix files or folders of them, to be measured here"),
      field<&EvaluateRequest::device>("host, opencl:N or cuda:N; with --records also a described machine's name or a "
                                      "description (FILE.json)"),
      field<&EvaluateRequest::records>("a table of measured times with features (.tsv, .tsv.gz) instead of matrices"),
      field<&EvaluateRequest::profile>("with --records: a profile file instead of a device's name"),
      field<&EvaluateRequest::leave_out>("with --records: judge each matrix by fits without the profile's matrices "
                                         "whose COLUMN (twin_of or matrix) is its name"),
      field<&EvaluateRequest::model>("a model's name or 'all'"),
      field<&EvaluateRequest::stored>("judge times that the store has already; measure only what is missing"),
      field<&EvaluateRequest::kernels>("only these kernels, separated by commas"),
      field<&EvaluateRequest::product>("").in_its_place(),
      field<&EvaluateRequest::threads>("of the host; 0: all", at_least(0)),
      field<&EvaluateRequest::no_store>("do not keep the times for later forecasts of these matrices"));
};

/// A matrix and kernel without a time, or a file that could not be read, and why.
struct NotJudged {
  std::string matrix = {}, kernel = {}, reason = {};
};
template <>
struct Fields<NotJudged> {
  static constexpr std::string_view about = "What was not judged, and why.";
  static constexpr auto table =
      std::tuple(field<&NotJudged::matrix>(""), field<&NotJudged::kernel>("empty: all"), field<&NotJudged::reason>(""));
};

struct Evaluation {
  ProductKind product = {};
  std::vector<EvaluationCase> cases = {};
  std::vector<ErrorSummary> summary = {};
  std::vector<SelectionSummary> selection = {};
  std::vector<NotJudged> skipped = {};
  bool unreadable = false;  ///< some files could not be read; in no document
};
template <>
struct Fields<Evaluation> {
  static constexpr std::string_view about =
      "sparsecast evaluate --json: errors are |predicted - measured| / measured, as fractions";
  static constexpr auto table = std::tuple(
      field<&Evaluation::product>("").in_its_place(), field<&Evaluation::cases>("every forecast with its time"),
      field<&Evaluation::summary>("by kernel and model"), field<&Evaluation::selection>("by model"),
      field<&Evaluation::skipped>("what was not judged"));
};

/// Measures the matrices here in rounds and holds every model's forecasts against the times, or, with `records`, a
/// table's own times against forecasts from their features. One unreadable file among several is told among what was
/// skipped. Errors as predict() and measure(); usage for what does not go together. Thread safety: safe from several
/// threads at once, which disturb each other's times.
[[nodiscard]] Evaluation evaluate(const EvaluateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
