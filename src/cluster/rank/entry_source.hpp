#pragma once
// Reading the matrix in parts: every rank reads its own range of the file, a chunk at a time, and never sees the rest.
// A line of text belongs to the rank in whose range it begins. Compressed files cannot be read in parts: the command
// unpacks them into a file of entries first.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"

namespace sparsecast::cluster {
class EntrySource {
 public:
  virtual ~EntrySource() = default;
  std::int64_t rows = 0, cols = 0;
  /// Of the square matrix that is distributed (scheme/local_block.hpp).
  [[nodiscard]] std::int64_t size() const { return std::max(rows, cols); }

  /// The next entries of this rank's range, mirrored ones included, and whether there may be more.
  struct Chunk {
    std::vector<FileEntry> entries;
    bool more = false;
    std::optional<Error> fault;  ///< its line counts from the start of the range
  };
  virtual Chunk next() = 0;
  /// Lines in this rank's range, for the place of a fault.
  virtual std::int64_t count_lines() { return 0; }
  /// Collective, at the end: Error bad_input where the file holds another number of entries than it says.
  virtual void check_count(const Communicator&) {}
};

/// Collective. Error bad_input on all ranks where one of them cannot open the file, naming that rank and its host.
std::unique_ptr<EntrySource> open_entries(const Communicator& ranks, const Job& job);

/// Collective: calls take with the chunks of this rank's range, in step with the other ranks, so that take may
/// communicate (it is called with an empty chunk where others still have some). Throws what is wrong with the file, the
/// same on all ranks.
void stream_entries(const Communicator& ranks, EntrySource& source,
                    const std::function<void(std::vector<FileEntry>)>& take);
}  // namespace sparsecast::cluster
