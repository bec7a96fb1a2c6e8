#pragma once
// evaluate: forecasts held against measured times, every model and kernel.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/evaluation.hpp>
#include <sparsecast/places.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The forecasts to compare with measured times.
struct EvaluateRequest {
  std::vector<MatrixInput> matrices = {};  ///< measured here; of a folder, every matrix file in it
  /// "host", "opencl:N" or "cuda:N"; with `records` also a described machine's name or a description's file (.json).
  std::string device = "host";
  /// A table of measured times with features (.tsv, .tsv.gz), which is judged instead of matrices.
  std::filesystem::path records = {};
  std::filesystem::path profile = {};  ///< with records: a profile file instead of the name of a device
  /// With `records`: a table, or Ginkgo's JSON, of products measured on the described device, which correct its
  /// forecasts.
  std::filesystem::path anchors = {};
  /// With `records`: judge each matrix by fits without the profile's matrices whose "twin_of", or "matrix", is its
  /// name; empty: by the fits as they are.
  std::string leave_out = {};
  std::string model = "all";              ///< a name of model_names(), or "all"
  bool stored = false;                    ///< judge times that are in the store, and measure only what is missing
  std::vector<std::string> kernels = {};  ///< only these; empty: all
  ProductKind product = {};
  int threads = 0;                 ///< host threads; 0: one per available core
  Places places = Places::spread;  ///< of a described processor: how fewer threads than it has cores lie
  bool no_store = false;           ///< do not keep the times for later forecasts of these matrices
  Listener listener = {};
};

/// A matrix and kernel without a time, or a file that could not be read, and why.
struct NotJudged {
  std::string matrix = {};
  std::string kernel = {};  ///< empty: all of them
  std::string reason = {};
};

/// Forecasts beside measured times. Errors are |predicted − measured| / measured.
struct Evaluation {
  ProductKind product = {};
  std::vector<EvaluationCase> cases = {};        ///< every forecast with its measured time
  std::vector<ErrorSummary> summary = {};        ///< errors by kernel and model
  std::vector<SelectionSummary> selection = {};  ///< what choosing by each model would cost
  std::vector<NotJudged> skipped = {};           ///< what was not judged, and why
  bool unreadable = false;                       ///< some files could not be read; in no document
};

/// Measures the matrices here in rounds and holds every model's forecasts against the times, or, with `records`, a
/// table's own times against forecasts from their features. One unreadable file among several is told among what was
/// skipped. Errors as predict() and measure(); bad_input also where no matrix could be read or a folder has none, usage
/// for what does not go together. Thread safety: safe from several threads at once, which disturb each other's times.
[[nodiscard]] Evaluation evaluate(const EvaluateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
