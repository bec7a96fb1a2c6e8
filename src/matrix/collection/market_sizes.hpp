#pragma once
// Whether a Matrix Market file is the one that the index of a collection promises: its banner and its size line against
// the entry, and as many lines as it says it has.

#include "matrix/collection/collection_index.hpp"

namespace sparsecast::matrix {
class MarketSizes {
 public:
  /// `file` is for messages. `entry` must outlive it.
  MarketSizes(const CollectionEntry& entry, std::string file) : entry_(entry), file_(std::move(file)) {}

  /// The next piece of the file; Error bad_input once it is clear that the file is another matrix.
  void read(std::string_view bytes);
  /// At the end of the file: Error bad_input where there was no size line, or fewer lines than entries.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& reason) const;
  void read_line(std::string_view line);
  void compare(std::int64_t rows, std::int64_t cols, std::int64_t entries) const;

  const CollectionEntry& entry_;
  std::string file_;
  std::string line_;  ///< the beginning of a line of the head
  bool banner_ = false, sizes_ = false;
  bool symmetric_ = false, array_ = false;
  std::int64_t entries_ = 0;  ///< by the size line
  std::int64_t lines_ = 0;    ///< with an end, after the size line
  char last_ = '\n';
};

/// Bytes that a matrix's file may have at most, by its entry in the index.
std::int64_t most_market_bytes(const CollectionEntry& entry);
}  // namespace sparsecast::matrix
