#pragma once
// The index of the SuiteSparse Matrix Collection as it is published (ssstats.csv): the number of matrices, the date of
// the last change, and a line for each matrix. Line k + 2 is the matrix with the number k.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::matrix {
struct CollectionEntry {
  int id = 0;  ///< its line in the index, from 1
  std::string group, name;
  std::int64_t rows = 0, cols = 0;
  std::int64_t nonzeros = 0;
  std::int64_t entries = 0;  ///< with the zeros that are stored; 0: not known
  bool real = true, binary = false;
  bool mesh = false;  ///< of a problem in two or three dimensions
  bool positive_definite = false;
  double pattern_symmetry = 0, value_symmetry = 0;  ///< 0 … 1
  std::string kind;                                 ///< "structural problem"

  [[nodiscard]] std::string full_name() const { return group + '/' + name; }
};

struct CollectionIndex {
  std::string date;
  std::vector<CollectionEntry> entries;
};

/// Error bad_input with the line where `text` is no such index, is cut off, or has a name that could be no file's.
CollectionIndex parse_collection_index(std::string_view text, const std::string& file);

/// Whether it may be a group or the name of a matrix, and so part of a path: letters, digits, _ . + -, no dot at first.
bool is_collection_name(std::string_view word);

/// The entry that GROUP/NAME, NAME or a number means, capital letters or not. Error usage where there is none, with the
/// nearest names, or more than one, with all of them.
const CollectionEntry& find_matrix(const CollectionIndex& index, std::string_view wanted);
}  // namespace sparsecast::matrix
