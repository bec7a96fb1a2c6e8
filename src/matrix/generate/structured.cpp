// structured: imitates a matrix from its features. Row lengths come from structured_lengths; this file places the
// columns.
//
// Rows are made in groups of consecutive rows. A row keeps a stretch of the row before it (shifted by one column where
// the diagonal moves), as long as the similarity asks for, and fills up on either side with runs of adjacent columns,
// as many as `neighbours` asks for, out to a distance that `bandwidth` asks for. What chance, whole numbers and borders
// make of a row is measured at once, and what is missing is owed by the rows to come: three debts steer the means to
// their targets, where the targets do not contradict each other.

#include <algorithm>
#include <cmath>

#include "matrix/generate/generators.hpp"
#include "matrix/generate/row_builder.hpp"
#include "matrix/generate/structured_lengths.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::int64_t group_rows = 512;

struct PlacementTargets {
  std::int64_t rows = 0, cols = 0;
  double distance = 0;   // mean of last − first column over all rows
  double wide = 0;       // the same over the rows of two or more runs; those of one run are as wide as they are long
  double run_slope = 0;  // a row of L non-zeros has 1 + (L − 1) · run_slope runs
  double similarity = 0;
};

class GroupPlacer {
 public:
  GroupPlacer(const PlacementTargets& targets, std::uint64_t seed, std::int64_t first_row, DrawScratch& scratch)
      : t_(targets),
        random_(seed, first_row, 21),
        scratch_(scratch),
        width_(std::min(t_.wide, static_cast<double>(t_.cols - 1))) {
    window_ = ideal_window(first_row);
    similarity_owed_ = t_.similarity;  // the last row of the group has no successor here to be similar to
  }

  void place(std::int64_t row, std::span<std::int32_t> out) {
    const std::int64_t shift = std::clamp<std::int64_t>(ideal_window(row) - window_, 0, 1);
    window_ += shift;
    if (out.empty()) return settle(out);
    const std::int64_t moved = !previous_.empty() && previous_.back() + shift < t_.cols ? shift : 0;
    for (std::int32_t& column : previous_) column += static_cast<std::int32_t>(moved);

    const auto length = static_cast<std::int64_t>(out.size()), before = static_cast<std::int64_t>(previous_.size());
    const double runs = 1 + static_cast<double>(length - 1) * t_.run_slope;
    const std::int64_t wanted_runs =
        std::clamp<std::int64_t>(whole(runs + runs_owed_), 1, std::min(length, t_.cols - length + 1));
    const double kept_share = std::clamp(t_.similarity + similarity_owed_, 0.0, 1.0);
    const std::int64_t kept =
        before == 0 ? 0 : std::min({whole(kept_share * static_cast<double>(before)), length, before});
    if (kept == length && before > length)
      keep_both_ends(out);
    else if (kept == 0 || !extend(out, kept, wanted_runs))
      place_afresh(out, wanted_runs);

    if (before > 0) similarity_owed_ = std::clamp(similarity_owed_ + t_.similarity - share_near(out, moved), -2.0, 2.0);
    const double slack = 4 + 0.5 * static_cast<double>(length);
    runs_owed_ = std::clamp(runs_owed_ + runs - static_cast<double>(count_runs(out)), -slack, slack);
    settle(out);
    previous_.assign(out.begin(), out.end());
  }

 private:
  [[nodiscard]] std::int64_t ideal_window(std::int64_t row) const {
    const double centre =
        (static_cast<double>(row) + 0.5) / static_cast<double>(t_.rows) * static_cast<double>(t_.cols);
    return static_cast<std::int64_t>(
        std::clamp(centre - width_ / 2, 0.0, std::max(0.0, static_cast<double>(t_.cols) - 1 - width_)));
  }
  std::int64_t whole(double x) { return static_cast<std::int64_t>(std::floor(std::max(0.0, x) + random_.unit())); }

  void settle(std::span<const std::int32_t> out) {
    const double distance = out.empty() ? 0.0 : static_cast<double>(out.back() - out.front());
    const double most = 50 * (t_.distance + 1);
    distance_owed_ = std::clamp(distance_owed_ + t_.distance - distance, -most, most);
  }

  // Distance from first to last column that this row should have.
  std::int64_t wanted_distance(std::int64_t least) {
    // No more spread than there is room for, or rows would pile up at the full width.
    const double spread = std::min(0.1 * width_, static_cast<double>(t_.cols - 1) - width_);
    const double owed = std::clamp(distance_owed_, -width_, width_);
    return std::clamp(whole(width_ + spread * (2 * random_.unit() - 1) + owed), least, t_.cols - 1);
  }

  static std::int64_t count_runs(std::span<const std::int32_t> columns) {
    std::int64_t runs = columns.empty() ? 0 : 1;
    for (std::size_t k = 1; k < columns.size(); ++k) runs += columns[k] - columns[k - 1] != 1 ? 1 : 0;
    return runs;
  }

  // Share of the row before with a non-zero of `next` at most a column away, before it was moved along the diagonal.
  [[nodiscard]] double share_near(std::span<const std::int32_t> next, std::int64_t moved) const {
    std::int64_t near = 0;
    std::size_t k = 0;
    for (const std::int32_t shifted : previous_) {
      const std::int32_t column = shifted - static_cast<std::int32_t>(moved);
      while (k < next.size() && next[k] < column - 1) ++k;
      near += k < next.size() && next[k] <= column + 1 ? 1 : 0;
    }
    return static_cast<double>(near) / static_cast<double>(previous_.size());
  }

  // Cuts `total` into positive parts at random.
  void cut(std::int64_t total, std::int64_t parts, std::vector<std::int32_t>& result) {
    result.resize(static_cast<std::size_t>(parts));
    if (parts == 0) return;
    cuts_.resize(static_cast<std::size_t>(parts - 1));
    draw_distinct(random_, total - 1, cuts_, scratch_);
    std::int32_t last = 0;
    for (std::size_t p = 0; p + 1 < result.size(); ++p) {
      result[p] = cuts_[p] + 1 - last;
      last = cuts_[p] + 1;
    }
    result.back() = static_cast<std::int32_t>(total) - last;
  }

  // Fills `out` with `runs` runs over `room` columns from `first` on: run, gap, run, gap … and, where `gap_first` or
  // `gap_last`, a gap at that end too. out.size() + gaps ≤ room.
  void fill(std::span<std::int32_t> out, std::int64_t runs, std::int64_t first, std::int64_t room, bool gap_first,
            bool gap_last) {
    if (out.empty()) return;
    const std::int64_t gaps = runs - 1 + (gap_first ? 1 : 0) + (gap_last ? 1 : 0);
    cut(static_cast<std::int64_t>(out.size()), runs, run_lengths_);
    if (gaps > 0) cut(room - static_cast<std::int64_t>(out.size()), gaps, gap_lengths_);
    std::int64_t column = first;
    std::size_t next = 0, gap = 0;
    if (gap_first) column += gap_lengths_[gap++];
    for (std::size_t r = 0; r < run_lengths_.size(); ++r) {
      for (std::int32_t k = 0; k < run_lengths_[r]; ++k) out[next++] = static_cast<std::int32_t>(column++);
      if (r + 1 < run_lengths_.size() || gap_last) column += gap_lengths_[gap++];
    }
  }

  void place_afresh(std::span<std::int32_t> out, std::int64_t runs) {
    const auto length = static_cast<std::int64_t>(out.size());
    const std::int64_t distance = runs == 1 ? length - 1 : wanted_distance(length + runs - 2);
    // Somewhere about the window.
    const double slack = std::max(4.0, 0.15 * width_ + std::max(0.0, width_ - static_cast<double>(distance)));
    const double middle = static_cast<double>(window_) + (width_ - static_cast<double>(distance)) / 2;
    const double first =
        std::clamp(middle + slack * (random_.unit() - 0.5), 0.0, static_cast<double>(t_.cols - 1 - distance));
    fill(out, runs, static_cast<std::int64_t>(first), distance + 1, false, false);
  }

  // A row that is shorter than what it should keep: the two ends of the row before, so that it stays as wide.
  void keep_both_ends(std::span<std::int32_t> out) const {
    const std::size_t front = (out.size() + 1) / 2, back = out.size() - front;
    std::copy_n(previous_.begin(), front, out.begin());
    std::copy_n(previous_.end() - static_cast<std::ptrdiff_t>(back), back,
                out.begin() + static_cast<std::ptrdiff_t>(front));
  }

  // Keeps `kept` consecutive non-zeros of the row before and fills up around them. False where there is no room.
  bool extend(std::span<std::int32_t> out, std::int64_t kept, std::int64_t wanted_runs) {
    const auto length = static_cast<std::int64_t>(out.size()), before = static_cast<std::int64_t>(previous_.size());
    const std::int64_t from = random_.below(before - kept + 1);
    const std::span<const std::int32_t> stretch(previous_.data() + from, static_cast<std::size_t>(kept));
    const std::int64_t left_end = stretch.front(), right_end = stretch.back(), rest = length - kept;
    const std::int64_t left_room = left_end, right_room = t_.cols - 1 - right_end;
    const std::int64_t runs = wanted_runs - count_runs(stretch);

    std::int64_t left = 0, left_width = 0, right_width = 0, left_runs = 0, right_runs = 0;
    if (rest > 0 && runs <= 0) {
      // No run to spare: the stretch itself grows.
      left = std::min(left_room, random_.below(2) == 0 ? rest : 0);
      if (rest - left > right_room) left = rest - right_room;
      if (left > left_room) return false;
      for (std::int64_t k = 0; k < left; ++k)
        out[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(left_end - left + k);
      for (std::int64_t k = 0; k < rest - left; ++k)
        out[static_cast<std::size_t>(left + kept + k)] = static_cast<std::int32_t>(right_end + 1 + k);
    } else if (rest > 0) {
      // Room beyond the stretch, divided between the sides as the row before had it.
      const std::int64_t outside =
          std::max(rest + runs + 2, wanted_distance(length + wanted_runs - 2) - (right_end - left_end));
      const double left_before = static_cast<double>(left_end - previous_.front());
      const double right_before = static_cast<double>(previous_.back() - right_end);
      const double left_share =
          left_before + right_before > 0 ? left_before / (left_before + right_before) : random_.unit();
      left_width = std::min(left_room, whole(left_share * static_cast<double>(outside)));
      right_width = std::min(right_room, outside - left_width);
      left_width = std::min(left_room, outside - right_width);
      if (left_width < 2) left_width = 0;
      if (right_width < 2) right_width = 0;
      if (left_width + right_width == 0) return false;
      const double share = static_cast<double>(left_width) / static_cast<double>(left_width + right_width);
      left = std::min(whole(share * static_cast<double>(rest)), rest);
      // A short remainder goes to one side only; each side needs a gap beside the stretch.
      left = std::max(left, rest - std::max<std::int64_t>(0, right_width - 1));
      left = std::min(left, std::max<std::int64_t>(0, left_width - 1));
      if (rest - left > std::max<std::int64_t>(0, right_width - 1)) return false;
      const std::int64_t right = rest - left;
      // A side that gets nothing leaves its room to the other.
      if (left == 0) right_width = std::min(right_room, outside);
      if (right == 0) left_width = std::min(left_room, outside);
      left_runs =
          left == 0 ? 0 : whole(static_cast<double>(runs) * static_cast<double>(left) / static_cast<double>(rest));
      left_runs = left == 0 ? 0 : std::clamp<std::int64_t>(left_runs, 1, std::min(left, left_width - left));
      right_runs = right == 0 ? 0 : std::clamp<std::int64_t>(runs - left_runs, 1, std::min(right, right_width - right));
      fill(out.first(static_cast<std::size_t>(left)), left_runs, left_end - left_width, left_width, false, true);
      fill(out.last(static_cast<std::size_t>(right)), right_runs, right_end + 1, right_width, true, false);
    }
    std::ranges::copy(stretch, out.begin() + left);
    return true;
  }

  const PlacementTargets& t_;
  CounterRandom random_;
  DrawScratch& scratch_;
  double width_;
  std::int64_t window_ = 0;
  double distance_owed_ = 0, runs_owed_ = 0, similarity_owed_ = 0;
  std::vector<std::int32_t> previous_, cuts_, run_lengths_, gap_lengths_;
};

// What last − first must be in the rows of two or more runs, so that its mean over all rows is the wanted one.
double wide_rows_distance(const std::vector<std::int32_t>& lengths, const PlacementTargets& t) {
  double wide = 0, narrow_distance = 0;
  for (const std::int32_t length : lengths) {
    if (length < 2) continue;
    const double share = std::min(1.0, (length - 1) * t.run_slope);  // probability of a second run
    wide += share;
    narrow_distance += (1 - share) * (length - 1);
  }
  const double all = t.distance * static_cast<double>(lengths.size());
  return wide > 0 ? std::max(0.0, all - narrow_distance) / wide : t.distance;
}

// Places a few groups to see what distance they come to, and corrects `wide` by what it misses: rows that keep what
// they have, short rows and borders take away from it more than can be told beforehand.
void correct_width(const std::vector<std::int32_t>& lengths, PlacementTargets& t, std::uint64_t seed) {
  constexpr std::int64_t most_samples = 48, corrections = 6;
  const std::int64_t groups = (t.rows + group_rows - 1) / group_rows, samples = std::min(groups, most_samples);
  DrawScratch scratch;
  std::vector<std::int32_t> columns;
  for (std::int64_t round = 0; round < corrections; ++round) {
    double distance = 0, rows = 0;
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const std::int64_t first = sample * groups / samples * group_rows, last = std::min(t.rows, first + group_rows);
      GroupPlacer placer(t, seed, first, scratch);
      for (std::int64_t r = first; r < last; ++r) {
        columns.resize(static_cast<std::size_t>(lengths[static_cast<std::size_t>(r)]));
        placer.place(r, columns);
        distance += columns.empty() ? 0.0 : columns.back() - columns.front();
      }
      rows += static_cast<double>(last - first);
    }
    if (distance <= 0 || t.distance <= 0) return;
    const double missed = t.distance / (distance / rows);
    if (std::abs(missed - 1) < 0.01) return;
    t.wide = std::min(t.wide * std::clamp(missed, 0.5, 2.0), static_cast<double>(t.cols - 1));
  }
}

// A row can have at most as many non-zeros with one below as the next row is long.
double similarity_in_this_order(const std::vector<std::int32_t>& lengths) {
  double sum = 0, filled = 0;
  for (std::size_t r = 0; r + 1 < lengths.size(); ++r) {
    if (lengths[r] == 0) continue;
    filled += 1;
    sum += std::min(1.0, static_cast<double>(lengths[r + 1]) / lengths[r]);
  }
  return filled > 0 ? sum / filled : 1.0;
}

// Matrices whose rows are much alike have long rows beside long ones. Sorts 64 rows at a time, up and down by turns, so
// that lengths go on smoothly from each stretch to the next.
void bring_like_lengths_together(std::vector<std::int32_t>& lengths) {
  constexpr std::size_t stretch = 64;
  for (std::size_t first = 0; first < lengths.size(); first += stretch) {
    const auto begin = lengths.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = lengths.begin() + static_cast<std::ptrdiff_t>(std::min(lengths.size(), first + stretch));
    if (first / stretch % 2 == 0)
      std::sort(begin, end);
    else
      std::sort(begin, end, std::greater<>());
  }
}
}  // namespace

Matrix generate_structured(const GeneratorCall& call, int threads) {
  PlacementTargets targets;
  targets.rows = call.rows();
  targets.cols = call.cols();
  const double mean = call.number("row_mean"), rows = static_cast<double>(targets.rows);
  require_buildable(call.name, rows, static_cast<double>(targets.cols), rows * mean);
  const double deviation = call.given.at("row_std") ? call.number("row_std") : mean / 4;
  std::vector<std::int32_t> lengths = structured_lengths(
      {targets.rows, targets.cols, mean, deviation, call.given.at("skew") ? call.number("skew") : -1.0}, call.seed,
      threads);

  std::int64_t nonzeros = 0, filled = 0;
  for (const std::int32_t length : lengths) {
    nonzeros += length;
    filled += length > 0 ? 1 : 0;
  }
  // neighbours = 2 (non-zeros − runs) / non-zeros; every row that is not empty has a run at least.
  const double runs = static_cast<double>(nonzeros) * (1 - call.number("neighbours") / 2);
  targets.run_slope =
      nonzeros > filled
          ? std::clamp((runs - static_cast<double>(filled)) / static_cast<double>(nonzeros - filled), 0.0, 1.0)
          : 0.0;
  targets.distance = call.between("bandwidth", 0, 1) * static_cast<double>(targets.cols);
  targets.similarity = call.number("similarity");
  targets.wide = wide_rows_distance(lengths, targets);
  if (targets.similarity > similarity_in_this_order(lengths) - 0.05) bring_like_lengths_together(lengths);
  correct_width(lengths, targets, call.seed);

  RowRecipe recipe;
  recipe.rows = targets.rows;
  recipe.cols = targets.cols;
  recipe.length = [&](std::int64_t row) { return lengths[static_cast<std::size_t>(row)]; };
  recipe.group_rows = group_rows;
  recipe.group_columns = [&](std::int64_t first, std::int64_t last, std::span<const std::int64_t> starts,
                             std::span<std::int32_t> columns, DrawScratch& scratch) {
    GroupPlacer placer(targets, call.seed, first, scratch);
    for (std::int64_t r = first; r < last; ++r) {
      const auto at = static_cast<std::size_t>(r - first);
      placer.place(r, columns.subspan(static_cast<std::size_t>(starts[at]),
                                      static_cast<std::size_t>(starts[at + 1] - starts[at])));
    }
  };
  recipe.values = random_values(call.seed);
  return build_rows(recipe, call.name, threads);
}
}  // namespace sparsecast::matrix
