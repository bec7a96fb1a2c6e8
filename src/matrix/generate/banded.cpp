// banded: symmetric, non-zeros spread evenly over the columns within a distance of the diagonal.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "matrix/generate/generators.hpp"
#include "matrix/generate/symmetric_builder.hpp"

namespace sparsecast::matrix {
Matrix generate_banded(const GeneratorCall& call, int threads) {
  const std::int64_t rows = call.rows();
  const std::int64_t band = std::min(call.count("bandwidth"), std::max<std::int64_t>(0, rows - 1));
  // Without a mean the band is full.
  const double full = static_cast<double>(2 * band + 1);
  const double mean = call.given.at("row_mean") ? call.number("row_mean") : full;
  if (mean > full || (mean < 1 && rows > 0))
    throw Error(ErrorCode::usage,
                fmt::format("{} non-zeros per row do not fit a diagonal and {} columns on either side", mean, band));
  require_buildable(call.name, static_cast<double>(rows), static_cast<double>(rows), static_cast<double>(rows) * mean);
  const double below = (mean - 1) / 2;  // of the diagonal

  RowRecipe lower;
  lower.rows = lower.cols = rows;
  lower.length = [=, seed = call.seed](std::int64_t row) {
    const std::int64_t room = std::min(row, band);
    CounterRandom random(seed, row, 0);
    // Near the top, where the band is cut off, as dense as elsewhere.
    const double wanted = band > 0 ? below * static_cast<double>(room) / static_cast<double>(band) : 0;
    return std::min(room, static_cast<std::int64_t>(wanted + random.unit()));
  };
  lower.columns = [=, seed = call.seed](std::int64_t row, std::span<std::int32_t> columns, DrawScratch& scratch) {
    const std::int64_t room = std::min(row, band);
    CounterRandom random(seed, row, 1);
    draw_distinct(random, room, columns, scratch);
    for (std::int32_t& column : columns) column += static_cast<std::int32_t>(row - room);
  };
  return build_symmetric(lower, call.seed, call.name, threads);
}
}  // namespace sparsecast::matrix
