#pragma once
// The fields of <sparsecast/structure.hpp>.

#include <sparsecast/structure.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<RowLengthCount> {
  static constexpr std::string_view about = "So many rows have this many non-zeros.";
  static constexpr bool as_list = true;
  static constexpr auto table = std::tuple(field<&RowLengthCount::length>("non-zeros of a row", at_least(0)),
                                           field<&RowLengthCount::rows>("rows of that length", at_least(0)));
};

template <>
struct Fields<SliceWork> {
  static constexpr std::string_view about = "What SELL-C-σ stores.";
  static constexpr auto table = std::tuple(field<&SliceWork::slice_rows>("C", between(1, 1 << 20)),
                                           field<&SliceWork::sort_rows>("σ; 1: unsorted", between(1, 1 << 30)),
                                           field<&SliceWork::slots>("stored, padding included", at_least(0)));
};

template <>
struct Fields<RowGroups> {
  static constexpr std::string_view about = "Rows in groups of eight in succession, as a vector kernel takes them.";
  static constexpr auto table = std::tuple(
      field<&RowGroups::groups>("", at_least(0)),
      field<&RowGroups::shortest>("sum over groups of the shortest row", at_least(0)),
      field<&RowGroups::longest>("sum over groups of the longest row", at_least(0)),
      field<&RowGroups::turns>("sum of |shortest − shortest of the group before|", at_least(0)),
      field<&RowGroups::cut_shortest>("of rows cut at HYB's width", at_least(0)),
      field<&RowGroups::cut_longest>("of rows cut at HYB's width", at_least(0)),
      field<&RowGroups::cut_turns>("of rows cut at HYB's width", at_least(0)),
      field<&RowGroups::short_groups>("groups of at most 128 non-zeros", at_least(0)),
      field<&RowGroups::more_vectors>("of those: sum of ⌈longest / 8⌉ − 1, where positive", at_least(0)),
      field<&RowGroups::more_rows>("of those: sum over rows of ⌈length / 8⌉ − 1, where positive", at_least(0)),
      field<&RowGroups::rest_nonzeros>("of the others: sum over rows of length mod 8", at_least(0)),
      field<&RowGroups::mispredicted>("share of the shortest lengths that a branch predictor does not predict",
                                      between(0, 1))
          .as("unforeseen"),
      field<&RowGroups::in_runs>("share of the non-zeros in groups whose rows read x one entry further on each",
                                 between(0, 1))
          .or_default());
};

template <>
struct Fields<DenseDiagonals> {
  static constexpr std::string_view about =
      "Diagonals that at least half of the rows of a sample have an entry on; what they hold is counted.";
  static constexpr auto table =
      std::tuple(field<&DenseDiagonals::diagonals>("how many", at_least(0)),
                 field<&DenseDiagonals::nonzeros>("entries on them", at_least(0)),
                 field<&DenseDiagonals::rest_rows>("rows with entries elsewhere", at_least(0)));
};

template <>
struct Fields<DenseBlocks> {
  static constexpr std::string_view about =
      "Blocks of 2 to 8 rows and columns that hold the entries, all 0 where no shape is filled well. The shape is "
      "found "
      "in a sample, its blocks are counted.";
  static constexpr auto table = std::tuple(
      field<&DenseBlocks::rows>("of a block", between(0, 8)), field<&DenseBlocks::cols>("of a block", between(0, 8)),
      field<&DenseBlocks::blocks>("how many", at_least(0)),
      field<&DenseBlocks::fill>("share of their slots that hold an entry", between(0, 1)).or_default());
};

template <>
struct Fields<ValueSymmetry> {
  static constexpr std::string_view about = "Whether the matrix is its own transpose, values included.";
  static constexpr auto table =
      std::tuple(field<&ValueSymmetry::symmetric>("").as_truth(),
                 field<&ValueSymmetry::diagonal>("entries on the diagonal of a symmetric one", at_least(0)));
};

template <>
struct Fields<CompactStorage> {
  static constexpr std::string_view about = "What storage without loss can leave out.";
  static constexpr auto table = std::tuple(
      field<&CompactStorage::distinct_values>("different values; 0: more than 256", between(0, 256)),
      field<&CompactStorage::single_exact>("of more values: whether single precision holds every one").as_truth(),
      field<&CompactStorage::two_bytes>("of more than 16: the type of two bytes that holds every one").or_default(),
      field<&CompactStorage::far_slots>("slots of SELL-8-1024 in windows of 1,024 rows whose columns span over 65,535",
                                        at_least(0)));
};

template <>
struct Fields<XReuse> {
  static constexpr std::string_view about = "Reuse of x in the order in which a sequential CSR product reads it.";
  static constexpr auto table = std::tuple(
      field<&XReuse::elements_per_line>("8: a 64-byte line of double", between(1, 1 << 20)),
      field<&XReuse::lines>("distinct lines of x touched", at_least(0)),
      field<&XReuse::cold>("share of reads that touch a line for the first time", between(0, 1)),
      field<&XReuse::distance>("share of reads at LRU stack distance 2^b to 2^(b+1) lines", between(0, 1)),
      field<&XReuse::cold_followed>("of `cold`, what is read soon after the line before", between(0, 1)).or_default(),
      field<&XReuse::followed>("of `distance`, what is read soon after the line before, from 256 lines on",
                               between(0, 1))
          .or_default());
};

template <>
struct Fields<Structure> {
  static constexpr std::string_view about = "The features of one matrix.";
  static constexpr auto table = std::tuple(
      field<&Structure::name>("what the matrix is called").where_known(), field<&Structure::rows>("", at_least(0)),
      field<&Structure::cols>("", at_least(0)), field<&Structure::nonzeros>("", at_least(0)),
      field<&Structure::row_min>("least non-zeros of a row", at_least(0)).or_default(),
      field<&Structure::row_max>("most non-zeros of a row", at_least(0)).or_default(),
      field<&Structure::row_mode>("commonest non-zeros of a row", at_least(0)).or_default(),
      field<&Structure::empty_rows>("", at_least(0)).or_default(),
      field<&Structure::diagonal_bandwidth>("most |row − column|", at_least(0)).or_default(),
      field<&Structure::row_mean>("mean non-zeros of a row", at_least(0)).or_default(),
      field<&Structure::row_std>("deviation of the non-zeros of a row", at_least(0)).or_default(),
      field<&Structure::row_skew>("(row_max − row_mean) / row_mean", at_least(0)).or_default(),
      field<&Structure::row_gini>("Gini coefficient of the row lengths", between(0, 1)).or_default(),
      field<&Structure::bandwidth_scaled>("mean distance from first to last column of a row, over cols", between(0, 1))
          .or_default(),
      field<&Structure::neighbours>("mean number of non-zeros directly left and right of one", between(0, 2))
          .or_default(),
      field<&Structure::cross_row_similarity>(
          "share of a row's non-zeros with one in the next row at column ± 1 or less", between(0, 1))
          .or_default(),
      field<&Structure::runs_per_row>("mean number of runs of adjacent columns in a row", at_least(0)).or_default(),
      field<&Structure::sampled_share>("share of the non-zeros that x_reuse was measured on", between(0, 1))
          .or_default(),
      field<&Structure::mispredicted_rows>("share of the row lengths that a branch predictor does not predict",
                                           between(0, 1))
          .as("unforeseen_rows")
          .where_known(),
      field<&Structure::mispredicted_filled_rows>("the same of the rows that are not empty", between(0, 1))
          .as("unforeseen_filled_rows")
          .where_known(),
      field<&Structure::row_histogram>("ascending in length").where_known(),
      field<&Structure::row_quartiles>("of a feature record: lengths that ¼, ½ and ¾ of the rows do not exceed",
                                       at_least(0))
          .where_known(),
      field<&Structure::slices>("work of sliced formats").where_known(),
      field<&Structure::row_groups>("").where_known(), field<&Structure::dense_blocks>("").where_known(),
      field<&Structure::symmetry>("").where_known(), field<&Structure::compact>("").where_known(),
      field<&Structure::block_nonzeros>("non-zeros of equal blocks of rows", at_least(0)).where_known(),
      field<&Structure::dense_diagonals>("").where_known(),
      field<&Structure::complex_values>("the values are complex").or_default(),
      field<&Structure::x_reuse>("one per length of a line").where_known());
};

}  // namespace sparsecast
