#pragma once
// The job folder: what the command hands to the ranks and what rank 0 hands back. Only rank 0 needs to see it; the
// matrix file must be visible to every rank.
//   job.json       what to do (Job)
//   parts.bin      int32 per row: the process of the row (g1dr, l1dr)
//   loads-K.txt    simulations: one line per rank (features/simulated_load.hpp)
//   alive          rewritten by rank 0 while work goes on; the command's watchdog looks at its time
//   outcome.json   the answer, or {"error": …}
//   vector-K.bin   resulting vector of case K as VectorEntry records in any order

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/precision.hpp>
#include <string>
#include <vector>

#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
struct Case {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
};

enum class Task { measure, simulate, benchmark };

/// How a rank gets at the entries.
enum class MatrixForm {
  market,   ///< plain Matrix Market coordinate text: every rank reads its byte range
  entries,  ///< EntryFileHeader and FileEntry records: every rank reads its range of records
};

struct JobMatrix {
  std::string file;
  MatrixForm form = MatrixForm::entries;
};

struct Job {
  Task task = Task::measure;
  JobMatrix matrix;
  std::vector<Case> cases;
  int iterations = 10;
  int threads = 1;                               ///< of each rank's products
  Precision precision = Precision::double_;      ///< of the blocks' values, the vectors and the messages
  std::uint64_t seed = 1;                        ///< of the permutation of 2du
  double budget_s = 1;                           ///< measuring stops after this many seconds per case
  bool keep_vectors = false;                     ///< write vector-K.bin
  std::int64_t largest_message_bytes = 4 << 20;  ///< benchmarks
  double limit_s = 0;  ///< benchmarks: no further size of a pattern is begun after its share of this; 0: no limit
};

std::string to_text(const Job& job);
/// Error bad_input for a document that is not a job.
Job parse_job(const std::string& text, const std::string& file);

/// An Error as it travels between ranks, and from rank 0 to the command.
nlohmann::ordered_json error_json(const Error& error);
Error error_from(const nlohmann::ordered_json& document);

struct EntryFileHeader {
  char magic[8] = {'s', 'c', 'e', 'n', 't', 'r', '1', '\n'};
  std::int64_t rows = 0, cols = 0, entries = 0;
};
struct FileEntry {
  std::int64_t row = 0, column = 0;
  double value = 0;
};
struct VectorEntry {
  std::int64_t index = 0;
  double value = 0;
};
}  // namespace sparsecast::cluster
