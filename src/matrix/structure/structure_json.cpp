#include "matrix/structure/structure_json.hpp"
#include "fields/structure.hpp"
#include "fields/wording.hpp"
#include "matrix/structure/structure_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/json.hpp"
#include "matrix/structure/blocks.hpp"

namespace sparsecast::matrix {
namespace {
using nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& field, const std::string& reason) {
  throw Error(ErrorCode::bad_input, fmt::format("structure: {} {}", field, reason));
}

void check_histogram(const Structure& s) {
  std::int64_t rows = 0;
  double nonzeros = 0;
  for (std::size_t i = 0; i < s.row_histogram.size(); ++i) {
    const RowLengthCount& entry = s.row_histogram[i];
    if (i > 0 && entry.length <= s.row_histogram[i - 1].length) refuse("row_histogram", "is not in ascending order");
    if (entry.rows > s.rows - rows) refuse("row_histogram", "counts more rows than there are");
    rows += entry.rows;
    nonzeros += static_cast<double>(entry.rows) * static_cast<double>(entry.length);
  }
  if (!s.row_histogram.empty() && (rows != s.rows || nonzeros != static_cast<double>(s.nonzeros)))
    refuse("row_histogram", "does not add up to rows and nonzeros");
}

void check_rows(const Structure& s, bool knows_row_max) {
  if (static_cast<double>(s.nonzeros) > static_cast<double>(s.rows) * static_cast<double>(s.cols))
    refuse("nonzeros", "are more than rows × cols");
  if (s.row_max > s.cols) refuse("row_max", "is more than cols");
  if (knows_row_max) {
    if (s.row_min > s.row_max) refuse("row_min", "is more than row_max");
    if (s.row_mode > s.row_max) refuse("row_mode", "is more than row_max");
    // Tables of others round the mean.
    if (s.row_mean > static_cast<double>(s.row_max) + 1) refuse("row_mean", "is more than row_max");
  }
  if (s.row_mean > static_cast<double>(s.cols) * (1 + 1e-6)) refuse("row_mean", "is more than cols");
  if (s.empty_rows > s.rows) refuse("empty_rows", "are more than rows");
}

void check_forms(const Structure& s) {
  if (s.dense_diagonals.nonzeros > s.nonzeros || s.dense_diagonals.rest_rows > s.rows)
    refuse("dense_diagonals", "hold more than the matrix");
  const DenseBlocks& blocks = s.dense_blocks;
  const bool found = blocks.rows >= 2 && blocks.cols >= 2;
  if (!found && blocks.rows >= 0 && (blocks.rows != 0 || blocks.cols != 0 || blocks.blocks != 0))
    refuse("dense_blocks", "has a shape out of range");
  if (blocks.blocks > s.nonzeros || (found && blocks.blocks * blocks.rows * blocks.cols < s.nonzeros))
    refuse("dense_blocks", "do not hold the non-zeros");
  const ValueSymmetry& symmetry = s.symmetry;
  if (symmetry.diagonal > std::min(s.rows, s.nonzeros) ||
      (symmetry.symmetric == 1 && (s.nonzeros - symmetry.diagonal) % 2 != 0))
    refuse("symmetry", "does not go with the non-zeros");
  const SliceWork* slices = s.slice(8, 1024);
  if (s.compact.far_slots > (slices == nullptr ? 0 : slices->slots))
    refuse("compact", "has more slots than the matrix");
  if (s.compact.distinct_values > s.nonzeros) refuse("compact", "has more values than the matrix");
}

// What the histogram says of the row lengths is said once more, except in a record without it; 0 says nothing.
void check_moments(const Structure& s) {
  if (s.row_histogram.empty() || s.rows == 0) return;
  Structure counted;
  counted.rows = s.rows, counted.nonzeros = s.nonzeros, counted.row_histogram = s.row_histogram;
  row_moments(counted);
  const auto need = [](const char* field, double told, double truth) {
    constexpr double rounded = 1e-6;  // as the documents of others write it
    if (told != 0 && std::fabs(told - truth) > rounded * std::max(1.0, std::fabs(truth)))
      refuse(field, fmt::format("is {}, and row_histogram makes it {}", told, truth));
  };
  const auto need_count = [&](const char* field, std::int64_t told, std::int64_t truth) {
    need(field, static_cast<double>(told), static_cast<double>(truth));
  };
  need_count("row_min", s.row_min, counted.row_min);
  need_count("row_max", s.row_max, counted.row_max);
  need_count("row_mode", s.row_mode, counted.row_mode);
  need_count("empty_rows", s.empty_rows, counted.empty_rows);
  need("row_mean", s.row_mean, counted.row_mean);
  need("row_std", s.row_std, counted.row_std);
  need("row_skew", s.row_skew, counted.row_skew);
  need("row_gini", s.row_gini, counted.row_gini);
}

// What formats store: every entry, and no row longer than the longest.
void check_slots(const Structure& s) {
  const double longest = static_cast<double>(s.row_max > 0 ? s.row_max : s.cols);
  for (const SliceWork& slice : s.slices) {
    if (slice.slice_rows < 1) refuse("slices", "are of no rows");
    const double height = static_cast<double>(slice.slice_rows);
    const double stored_rows = std::ceil(static_cast<double>(s.rows) / height) * height;
    if (slice.slots < s.nonzeros || static_cast<double>(slice.slots) > stored_rows * longest)
      refuse("slices", fmt::format("have {} slots for {} non-zeros", slice.slots, s.nonzeros));
  }
  const RowGroups& groups = s.row_groups;
  if (groups.groups > s.rows / RowGroups::rows || groups.shortest > groups.longest ||
      groups.shortest > s.nonzeros / RowGroups::rows)
    refuse("row_groups", "hold more than the matrix");
  const auto blocks = static_cast<double>(s.block_nonzeros.size());  // each of which others round
  const double sum = std::accumulate(s.block_nonzeros.begin(), s.block_nonzeros.end(), 0.0);
  if (blocks > 0 && std::fabs(sum - static_cast<double>(s.nonzeros)) >= blocks)
    refuse("block_nonzeros", fmt::format("add up to {}, not to nonzeros", sum));
}

void check_columns(const Structure& s) {
  if (s.diagonal_bandwidth >= std::max({s.rows, s.cols, std::int64_t{1}}))
    refuse("diagonal_bandwidth", "is more than the matrix has room for");
  const double rows = static_cast<double>(std::max<std::int64_t>(s.rows, 1));
  if (s.runs_per_row > static_cast<double>(s.nonzeros) / rows * (1 + 1e-6))
    refuse("runs_per_row", "are more than the non-zeros of a row");
  constexpr double all = 1 + 1e-6;
  for (const XReuse& reuse : s.x_reuse) {
    if (std::max(reuse.distance.size(), reuse.followed.size()) > 64) refuse("x_reuse", "has more than 64 bins");
    if (reuse.elements_per_line < 1) refuse("x_reuse", "is of lines without elements");
    const std::int64_t most = s.cols / reuse.elements_per_line + 1;
    if (reuse.lines > std::min(most, s.nonzeros)) refuse("x_reuse", "touches more lines than x has");
    if (std::accumulate(reuse.distance.begin(), reuse.distance.end(), reuse.cold) > all)
      refuse("x_reuse", "has shares of the reads that add up to more than 1");
  }
}

void check_together(const Structure& s, bool knows_row_max) {
  check_rows(s, knows_row_max);
  check_histogram(s);
  check_moments(s);
  check_slots(s);
  check_columns(s);
  check_forms(s);
}

// What `info` writes twice.
void require_same_head(const ordered_json& head, const Structure& s) {
  const auto number = [&](const char* name) { return head.is_object() ? head.value(name, ordered_json()) : head; };
  if (number("rows") != s.rows || number("cols") != s.cols || number("nonzeros") != s.nonzeros)
    throw Error(ErrorCode::bad_input, "\"matrix\" has other rows, cols or nonzeros than \"structure\"");
}
}  // namespace

ordered_json structure_to_json(const Structure& structure) { return fields::written(structure); }

Structure structure_from_json(const ordered_json& json) {
  Structure s;
  try {
    s = fields::read_struct<Structure>(json);
  } catch (const Error& wrong) {
    throw Error(wrong.code(), "structure: " + wrong.reason());
  }
  check_together(s, json.contains("row_max"));
  s.dense_blocks.fill = fill_of(s.dense_blocks, s.nonzeros);
  return s;
}

void require_consistent(const Structure& structure) {
  const Structure begun_with;
  each_field<Structure>([&](const auto& field) {
    using T = typename std::decay_t<decltype(field)>::type;
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T number = field.in(structure), begun = field.in(begun_with);
      const NumberBounds& bounds = field.bounds;
      const bool allowed =
          !bounds.given || (static_cast<double>(number) >= bounds.least && static_cast<double>(number) <= bounds.most);
      if (number != begun && !allowed) refuse(std::string(field.key), fmt::format("is {}", number));
    }
  });
  check_together(structure, structure.row_max > 0);
}

Structure read_structure(const std::filesystem::path& file) {
  return sparsecast::structure_from_json(base::read_file(file, {.what = "structure"}), file.string());
}
}  // namespace sparsecast::matrix

namespace sparsecast {
std::string to_json(const Structure& structure) { return base::json_text(matrix::structure_to_json(structure)); }

Structure structure_from_json(std::string_view text, const std::string& source) {
  const wording::Text remedy =
      "a structure is written by " + wording::ask("info", {{"matrix", wording::placeholder("MATRIX")}, {"json", true}});
  const nlohmann::ordered_json document = base::parse_json(text, {source, remedy});
  // The document of `sparsecast info` has it in a field of that name.
  const bool inside = document.is_object() && document.contains("structure");
  if (document.is_object() && document.contains("schema") && document["schema"] != "sparsecast/info/1")
    throw Error(ErrorCode::bad_input, "\"schema\" is not sparsecast/info/1", {source}, remedy);
  try {
    Structure structure = matrix::structure_from_json(inside ? document["structure"] : document);
    if (inside && document.contains("matrix")) matrix::require_same_head(document["matrix"], structure);
    return structure;
  } catch (const Error& wrong) {
    throw Error(wrong.code(), wrong.reason(), {source}, remedy);
  }
}
}  // namespace sparsecast
