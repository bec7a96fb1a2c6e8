#pragma once
// The fields of <sparsecast/structure.hpp>.

#include <sparsecast/structure.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<RowLengthCount> {
  static constexpr std::string_view about = "How many rows have this many non-zeros.";
  static constexpr bool as_list = true;
  static constexpr auto table = std::tuple(field<&RowLengthCount::length>("number of non-zeros of a row", at_least(0)),
                                           field<&RowLengthCount::rows>("number of rows of that length", at_least(0)));
};

template <>
struct Fields<SliceWork> {
  static constexpr std::string_view about = "What SELL-C-σ stores.";
  static constexpr auto table =
      std::tuple(field<&SliceWork::slice_rows>("C, the rows of a slice", between(1, 1 << 20)),
                 field<&SliceWork::sort_rows>("σ, the rows of a sorting window; 1: unsorted", between(1, 1 << 30)),
                 field<&SliceWork::slots>("number of stored entries, padding included", at_least(0)));
};

template <>
struct Fields<RowGroups> {
  static constexpr std::string_view about = "Consecutive rows in groups of eight, as a vector kernel takes them.";
  static constexpr auto table = std::tuple(
      field<&RowGroups::groups>("", at_least(0)),
      field<&RowGroups::shortest>("sum over the groups of the shortest row's length", at_least(0)),
      field<&RowGroups::longest>("sum over the groups of the longest row's length", at_least(0)),
      field<&RowGroups::turns>("sum of |shortest − shortest of the preceding group|", at_least(0)),
      field<&RowGroups::cut_shortest>("the same sum with rows cut off at HYB's width", at_least(0)),
      field<&RowGroups::cut_longest>("the same sum with rows cut off at HYB's width", at_least(0)),
      field<&RowGroups::cut_turns>("the same sum with rows cut off at HYB's width", at_least(0)),
      field<&RowGroups::short_groups>("number of groups with at most 128 non-zeros", at_least(0)),
      field<&RowGroups::more_vectors>("for those groups: sum of ⌈longest / 8⌉ − 1, where positive", at_least(0)),
      field<&RowGroups::more_rows>("for those groups: sum over the rows of ⌈length / 8⌉ − 1, where positive",
                                   at_least(0)),
      field<&RowGroups::rest_nonzeros>("for the other groups: sum over the rows of length mod 8", at_least(0)),
      field<&RowGroups::mispredicted>("share of the shortest lengths that a branch predictor mispredicts",
                                      between(0, 1))
          .as("unforeseen"),
      field<&RowGroups::in_runs>(
          "share of the non-zeros in groups in which each row reads x one entry after the row before", between(0, 1))
          .or_default());
};

template <>
struct Fields<DenseDiagonals> {
  static constexpr std::string_view about =
      "Diagonals that are filled on at least half of the rows of a sample; what they hold is counted over all rows. "
      "None "
      "where they hold less than half of the entries.";
  static constexpr auto table =
      std::tuple(field<&DenseDiagonals::diagonals>("number of such diagonals", at_least(0)),
                 field<&DenseDiagonals::nonzeros>("number of entries on them", at_least(0)),
                 field<&DenseDiagonals::rest_rows>("number of rows with entries elsewhere", at_least(0)));
};

template <>
struct Fields<DenseBlocks> {
  static constexpr std::string_view about =
      "Dense blocks of 2 to 8 rows and columns; all 0 if no shape is filled well. The shape is chosen on a sample, and "
      "its blocks are counted over the whole matrix.";
  static constexpr auto table =
      std::tuple(field<&DenseBlocks::rows>("rows of a block", between(0, 8)),
                 field<&DenseBlocks::cols>("columns of a block", between(0, 8)),
                 field<&DenseBlocks::blocks>("number of blocks", at_least(0)),
                 field<&DenseBlocks::fill>("share of their slots that hold an entry", between(0, 1)).or_default());
};

template <>
struct Fields<ValueSymmetry> {
  static constexpr std::string_view about = "Whether the matrix equals its transpose, values included.";
  static constexpr auto table = std::tuple(
      field<&ValueSymmetry::symmetric>("").as_truth(),
      field<&ValueSymmetry::diagonal>("number of entries on the diagonal, if the matrix is symmetric", at_least(0)));
};

template <>
struct Fields<CompactStorage> {
  static constexpr std::string_view about = "What lossless compact storage can save.";
  static constexpr auto table = std::tuple(
      field<&CompactStorage::distinct_values>("number of different values; 0: more than 256", between(0, 256)),
      field<&CompactStorage::single_exact>("if there are more values: whether single precision holds every one exactly")
          .as_truth(),
      field<&CompactStorage::two_bytes>(
          "if there are more than 16 values: the two-byte type that holds every one exactly")
          .or_default(),
      field<&CompactStorage::far_slots>(
          "slots of SELL-8-1024 in windows of 1,024 rows whose columns span more than 65,535", at_least(0)));
};

template <>
struct Fields<XReuse> {
  static constexpr std::string_view about = "Reuse of x in the order in which a sequential CSR product reads it.";
  static constexpr auto table = std::tuple(
      field<&XReuse::elements_per_line>("elements per cache line: 8 for a 64-byte line of double", between(1, 1 << 20)),
      field<&XReuse::lines>("number of distinct lines of x that are touched", at_least(0)),
      field<&XReuse::cold>("share of the reads that touch a line for the first time", between(0, 1)),
      field<&XReuse::distance>("share of the reads at an LRU stack distance of 2^b to 2^(b+1) lines", between(0, 1)),
      field<&XReuse::cold_followed>("the part of `cold` that is read soon after the preceding line", between(0, 1))
          .or_default(),
      field<&XReuse::followed>("the part of `distance` that is read soon after the preceding line, from 256 lines on",
                               between(0, 1))
          .or_default());
};

template <>
struct Fields<Structure> {
  static constexpr std::string_view about = "The features of one matrix.";
  static constexpr auto table = std::tuple(
      field<&Structure::name>("name of the matrix").where_known(), field<&Structure::rows>("", at_least(0)),
      field<&Structure::cols>("", at_least(0)), field<&Structure::nonzeros>("", at_least(0)),
      field<&Structure::row_min>("smallest number of non-zeros in a row", at_least(0)).or_default(),
      field<&Structure::row_max>("largest number of non-zeros in a row", at_least(0)).or_default(),
      field<&Structure::row_mode>("most common number of non-zeros in a row", at_least(0)).or_default(),
      field<&Structure::empty_rows>("", at_least(0)).or_default(),
      field<&Structure::diagonal_bandwidth>("largest |row − column|", at_least(0)).or_default(),
      field<&Structure::row_mean>("mean number of non-zeros per row", at_least(0)).or_default(),
      field<&Structure::row_std>("standard deviation of the number of non-zeros per row", at_least(0)).or_default(),
      field<&Structure::row_skew>("(row_max − row_mean) / row_mean", at_least(0)).or_default(),
      field<&Structure::row_gini>("Gini coefficient of the row lengths", between(0, 1)).or_default(),
      field<&Structure::bandwidth_scaled>("mean distance from the first to the last column of a row, divided by cols",
                                          between(0, 1))
          .or_default(),
      field<&Structure::neighbours>("mean number of non-zeros directly to the left and right of a non-zero",
                                    between(0, 2))
          .or_default(),
      field<&Structure::cross_row_similarity>(
          "share of a row's non-zeros that have one in the next row, at most one column away", between(0, 1))
          .or_default(),
      field<&Structure::runs_per_row>("mean number of runs of adjacent columns in a row", at_least(0)).or_default(),
      field<&Structure::sampled_share>("share of the non-zeros on which x_reuse was measured", between(0, 1))
          .or_default(),
      field<&Structure::mispredicted_rows>("share of the row lengths that a branch predictor mispredicts",
                                           between(0, 1))
          .as("unforeseen_rows")
          .where_known(),
      field<&Structure::mispredicted_filled_rows>("the same over the rows that are not empty", between(0, 1))
          .as("unforeseen_filled_rows")
          .where_known(),
      field<&Structure::row_histogram>("row lengths in ascending order").where_known(),
      field<&Structure::row_quartiles>(
          "only from feature tables: row lengths that ¼, ½ and ¾ of the rows do not exceed", at_least(0))
          .where_known(),
      field<&Structure::slices>("work of the sliced formats").where_known(),
      field<&Structure::row_groups>("").where_known(), field<&Structure::dense_blocks>("").where_known(),
      field<&Structure::symmetry>("").where_known(), field<&Structure::compact>("").where_known(),
      field<&Structure::block_nonzeros>("number of non-zeros in blocks with equal numbers of rows", at_least(0))
          .where_known(),
      field<&Structure::dense_diagonals>("").where_known(),
      field<&Structure::complex_values>("true: the values are complex").or_default(),
      field<&Structure::x_reuse>("reuse of x, one entry for each length of a cache line").where_known());
};

}  // namespace sparsecast
