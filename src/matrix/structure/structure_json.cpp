#include "matrix/structure/structure_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "matrix/structure/structure_ranges.hpp"

namespace sparsecast::matrix {
namespace {

using nlohmann::ordered_json;

// One table for both directions. Sizes and lengths are whole numbers. What their values may be stands in
// structure_ranges.
struct CountField {
  const char* name;
  std::int64_t Structure::*field;
};
constexpr CountField count_fields[] = {
    {"rows", &Structure::rows},
    {"cols", &Structure::cols},
    {"nonzeros", &Structure::nonzeros},
    {"row_min", &Structure::row_min},
    {"row_max", &Structure::row_max},
    {"row_mode", &Structure::row_mode},
    {"empty_rows", &Structure::empty_rows},
    {"diagonal_bandwidth", &Structure::diagonal_bandwidth},
};
struct NumberField {
  const char* name;
  double Structure::*field;
};
constexpr NumberField number_fields[] = {
    {"row_mean", &Structure::row_mean},
    {"row_std", &Structure::row_std},
    {"row_skew", &Structure::row_skew},
    {"row_gini", &Structure::row_gini},
    {"bandwidth_scaled", &Structure::bandwidth_scaled},
    {"neighbours", &Structure::neighbours},
    {"cross_row_similarity", &Structure::cross_row_similarity},
    {"runs_per_row", &Structure::runs_per_row},
    {"sampled_share", &Structure::sampled_share},
};

// Shares that older profiles and tables of others do not know: negative, and not written, where unknown.
constexpr NumberField optional_fields[] = {
    {"unforeseen_rows", &Structure::mispredicted_rows},
    {"unforeseen_filled_rows", &Structure::mispredicted_filled_rows},
};

constexpr struct {
  const char* name;
  std::int64_t RowGroups::*field;
} group_fields[] = {
    {"groups", &RowGroups::groups},
    {"shortest", &RowGroups::shortest},
    {"longest", &RowGroups::longest},
    {"turns", &RowGroups::turns},
    {"cut_shortest", &RowGroups::cut_shortest},
    {"cut_longest", &RowGroups::cut_longest},
    {"cut_turns", &RowGroups::cut_turns},
    {"short_groups", &RowGroups::short_groups},
    {"more_vectors", &RowGroups::more_vectors},
    {"more_rows", &RowGroups::more_rows},
    {"rest_nonzeros", &RowGroups::rest_nonzeros},
};

[[noreturn]] void refuse(const std::string& field, const std::string& reason) {
  throw Error(ErrorCode::bad_input, fmt::format("structure: {} {}", field, reason));
}

std::int64_t count_of(const ordered_json& json, const std::string& field) {
  if (!json.is_number_integer()) refuse(field, "is not a whole number");
  return json.get<std::int64_t>();
}

double number_of(const ordered_json& json, const std::string& field) {
  if (!json.is_number()) refuse(field, "is not a number");
  return json.get<double>();
}

const ordered_json& list_of(const ordered_json& json, const std::string& field) {
  if (!json.is_array()) refuse(field, "is not a list");
  return json;
}

const ordered_json& member(const ordered_json& json, const std::string& field, const char* name) {
  if (!json.is_object() || !json.contains(name)) refuse(field, fmt::format("has an entry without {}", name));
  return json.at(name);
}

XReuse reuse_from_json(const ordered_json& json) {
  XReuse reuse;
  reuse.elements_per_line =
      static_cast<int>(count_of(member(json, "x_reuse", "elements_per_line"), "elements_per_line"));
  reuse.lines = count_of(member(json, "x_reuse", "lines"), "lines");
  reuse.cold = number_of(member(json, "x_reuse", "cold"), "cold");
  for (const ordered_json& share : list_of(member(json, "x_reuse", "distance"), "distance"))
    reuse.distance.push_back(number_of(share, "distance"));
  if (json.contains("cold_followed")) reuse.cold_followed = number_of(json["cold_followed"], "cold_followed");
  if (json.contains("followed"))
    for (const ordered_json& share : list_of(json["followed"], "followed"))
      reuse.followed.push_back(number_of(share, "followed"));
  if (std::max(reuse.distance.size(), reuse.followed.size()) > 64) refuse("distance", "has more than 64 bins");
  return reuse;
}

RowGroups groups_from_json(const ordered_json& json) {
  RowGroups groups;
  for (const auto& f : group_fields) groups.*f.field = count_of(member(json, "row_groups", f.name), f.name);
  groups.mispredicted = number_of(member(json, "row_groups", "unforeseen"), "unforeseen");
  // Structures from before it was counted do not tell.
  if (json.contains("in_runs")) groups.in_runs = number_of(json["in_runs"], "in_runs");
  return groups;
}

DenseDiagonals diagonals_from_json(const ordered_json& json, std::int64_t rows, std::int64_t nonzeros) {
  const auto count = [&](const char* name) { return count_of(member(json, "dense_diagonals", name), name); };
  const DenseDiagonals dense{count("diagonals"), count("nonzeros"), count("rest_rows")};
  if (dense.nonzeros > nonzeros || dense.rest_rows > rows) refuse("dense_diagonals", "hold more than the matrix");
  return dense;
}

DenseBlocks blocks_from_json(const ordered_json& json, const Structure& s) {
  const auto count = [&](const char* name) { return count_of(member(json, "dense_blocks", name), name); };
  const std::int64_t rows = count("rows"), cols = count("cols"), blocks = count("blocks");
  const bool found = rows >= 2 && rows <= 8 && cols >= 2 && cols <= 8;
  if (!found && (rows != 0 || cols != 0 || blocks != 0)) refuse("dense_blocks", "has a shape out of range");
  if (blocks > s.nonzeros || blocks * rows * cols < (found ? s.nonzeros : 0))
    refuse("dense_blocks", "do not hold the non-zeros");
  return {static_cast<int>(rows), static_cast<int>(cols), blocks};
}

ValueSymmetry symmetry_from_json(const ordered_json& json, const Structure& s) {
  const ordered_json& symmetric = member(json, "symmetry", "symmetric");
  if (!symmetric.is_boolean()) refuse("symmetry", "is neither true nor false");
  const std::int64_t diagonal = count_of(member(json, "symmetry", "diagonal"), "diagonal");
  if (diagonal > std::min(s.rows, s.nonzeros) || (symmetric.get<bool>() && (s.nonzeros - diagonal) % 2 != 0))
    refuse("symmetry", "does not go with the non-zeros");
  return {symmetric.get<bool>() ? 1 : 0, diagonal};
}

void check_histogram(const Structure& s) {
  std::int64_t rows = 0;
  double nonzeros = 0;
  for (std::size_t i = 0; i < s.row_histogram.size(); ++i) {
    const RowLengthCount& entry = s.row_histogram[i];
    if (i > 0 && entry.length <= s.row_histogram[i - 1].length) refuse("row_histogram", "does not ascend");
    if (entry.rows > s.rows - rows) refuse("row_histogram", "counts more rows than there are");
    rows += entry.rows;
    nonzeros += static_cast<double>(entry.rows) * static_cast<double>(entry.length);
  }
  if (!s.row_histogram.empty() && (rows != s.rows || nonzeros != static_cast<double>(s.nonzeros)))
    refuse("row_histogram", "does not add up to rows and nonzeros");
}

// What `info` writes twice.
void require_same_head(const ordered_json& head, const Structure& s) {
  const auto number = [&](const char* name) { return head.is_object() ? head.value(name, ordered_json()) : head; };
  if (number("rows") != s.rows || number("cols") != s.cols || number("nonzeros") != s.nonzeros)
    throw Error(ErrorCode::bad_input, "\"matrix\" has other rows, cols or nonzeros than \"structure\"");
}

}  // namespace

ordered_json structure_to_json(const Structure& s) {
  ordered_json json;
  if (!s.name.empty()) json["name"] = s.name;
  for (const CountField& f : count_fields) json[f.name] = s.*f.field;
  for (const NumberField& f : number_fields) json[f.name] = s.*f.field;
  for (const NumberField& f : optional_fields)
    if (s.*f.field >= 0) json[f.name] = s.*f.field;
  if (!s.row_histogram.empty()) {
    ordered_json& list = json["row_histogram"] = ordered_json::array();
    for (const RowLengthCount& entry : s.row_histogram) list.push_back({entry.length, entry.rows});
  }
  if (!s.slices.empty()) {
    ordered_json& list = json["slices"] = ordered_json::array();
    for (const SliceWork& slice : s.slices)
      list.push_back({{"slice_rows", slice.slice_rows}, {"sort_rows", slice.sort_rows}, {"slots", slice.slots}});
  }
  if (s.row_groups.groups > 0) {
    ordered_json& groups = json["row_groups"] = ordered_json::object();
    for (const auto& f : group_fields) groups[f.name] = s.row_groups.*f.field;
    groups["unforeseen"] = s.row_groups.mispredicted;
    groups["in_runs"] = s.row_groups.in_runs;
  }
  if (const DenseBlocks& blocks = s.dense_blocks; blocks.rows >= 0)
    json["dense_blocks"] = {
        {"rows", blocks.rows}, {"cols", blocks.cols}, {"blocks", blocks.blocks}, {"fill", blocks.fill(s.nonzeros)}};
  if (s.symmetry.symmetric >= 0)
    json["symmetry"] = {{"symmetric", s.symmetry.symmetric == 1}, {"diagonal", s.symmetry.diagonal}};
  if (!s.block_nonzeros.empty()) json["block_nonzeros"] = s.block_nonzeros;
  if (const DenseDiagonals& dense = s.dense_diagonals; dense.diagonals >= 0)
    json["dense_diagonals"] = {
        {"diagonals", dense.diagonals}, {"nonzeros", dense.nonzeros}, {"rest_rows", dense.rest_rows}};
  if (!s.x_reuse.empty()) {
    ordered_json& list = json["x_reuse"] = ordered_json::array();
    for (const XReuse& reuse : s.x_reuse)
      list.push_back({{"elements_per_line", reuse.elements_per_line},
                      {"lines", reuse.lines},
                      {"cold", reuse.cold},
                      {"distance", reuse.distance},
                      {"cold_followed", reuse.cold_followed},
                      {"followed", reuse.followed}});
  }
  return json;
}

Structure structure_from_json(const ordered_json& json) {
  if (!json.is_object()) throw Error(ErrorCode::bad_input, "structure: not a JSON object");
  try {
    base::check_ranges(json, structure_ranges());
  } catch (const Error& wrong) {
    throw Error(wrong.code(), "structure: " + wrong.reason());
  }
  Structure s;
  for (const char* required : {"rows", "cols", "nonzeros"})
    if (!json.contains(required)) refuse(required, "is missing");
  if (json.contains("name")) {
    if (!json["name"].is_string()) refuse("name", "is not a text");
    s.name = json["name"].get<std::string>();
  }
  for (const CountField& f : count_fields)
    if (json.contains(f.name)) s.*f.field = count_of(json[f.name], f.name);
  for (const NumberField& f : number_fields)
    if (json.contains(f.name)) s.*f.field = number_of(json[f.name], f.name);
  for (const NumberField& f : optional_fields)
    if (json.contains(f.name)) s.*f.field = number_of(json[f.name], f.name);
  if (static_cast<double>(s.nonzeros) > static_cast<double>(s.rows) * static_cast<double>(s.cols))
    refuse("nonzeros", "are more than rows × cols");
  if (s.row_max > s.cols) refuse("row_max", "is more than cols");
  if (json.contains("row_max")) {
    if (s.row_min > s.row_max) refuse("row_min", "is more than row_max");
    if (s.row_mode > s.row_max) refuse("row_mode", "is more than row_max");
    // Tables of others round the mean.
    if (s.row_mean > static_cast<double>(s.row_max) + 1) refuse("row_mean", "is more than row_max");
  }
  if (s.row_mean > static_cast<double>(s.cols) * (1 + 1e-6)) refuse("row_mean", "is more than cols");
  if (s.empty_rows > s.rows) refuse("empty_rows", "are more than rows");
  if (json.contains("row_histogram"))
    for (const ordered_json& entry : list_of(json["row_histogram"], "row_histogram")) {
      if (!entry.is_array() || entry.size() != 2) refuse("row_histogram", "has an entry that is not [length, rows]");
      s.row_histogram.push_back({count_of(entry[0], "row_histogram"), count_of(entry[1], "row_histogram")});
    }
  check_histogram(s);
  if (json.contains("slices"))
    for (const ordered_json& entry : list_of(json["slices"], "slices")) {
      const std::int64_t rows = count_of(member(entry, "slices", "slice_rows"), "slice_rows");
      const std::int64_t sorted = count_of(member(entry, "slices", "sort_rows"), "sort_rows");
      s.slices.push_back(
          {static_cast<int>(rows), static_cast<int>(sorted), count_of(member(entry, "slices", "slots"), "slots")});
    }
  if (json.contains("row_groups")) s.row_groups = groups_from_json(json["row_groups"]);
  if (json.contains("dense_diagonals"))
    s.dense_diagonals = diagonals_from_json(json["dense_diagonals"], s.rows, s.nonzeros);
  if (json.contains("dense_blocks")) s.dense_blocks = blocks_from_json(json["dense_blocks"], s);
  if (json.contains("symmetry")) s.symmetry = symmetry_from_json(json["symmetry"], s);
  if (json.contains("block_nonzeros"))
    for (const ordered_json& count : list_of(json["block_nonzeros"], "block_nonzeros"))
      s.block_nonzeros.push_back(count_of(count, "block_nonzeros"));
  if (json.contains("x_reuse"))
    for (const ordered_json& entry : list_of(json["x_reuse"], "x_reuse")) s.x_reuse.push_back(reuse_from_json(entry));
  return s;
}

Structure read_structure(const std::filesystem::path& file) {
  return sparsecast::structure_from_json(base::read_file(file, {.what = "structure"}), file.string());
}

}  // namespace sparsecast::matrix

namespace sparsecast {

std::string to_json(const Structure& structure) { return base::json_text(matrix::structure_to_json(structure)); }

Structure structure_from_json(std::string_view text, const std::string& source) {
  constexpr const char* remedy = "a structure is what `sparsecast info MATRIX --json` prints";
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
