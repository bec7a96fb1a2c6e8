#include "devices/gpu/pointer_ring.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.hpp"

namespace sparsecast::devices {

constexpr std::int64_t element_bytes = 8;

std::vector<std::int64_t> PointerRing::links() const {
  std::vector<std::int64_t> content(static_cast<std::size_t>(elements()));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int64_t from = order[k] * row_elements, to = order[k + 1 < order.size() ? k + 1 : 0] * row_elements;
    for (std::int64_t column = 0; column < row_elements; ++column)
      content[static_cast<std::size_t>(from + column)] = (to + column) * element_bytes;
  }
  return content;
}

PointerRing shuffled_ring(std::int64_t bytes) {
  constexpr std::int64_t line_bytes = 128, page_bytes = 2 << 20, page_lines = page_bytes / line_bytes;
  PointerRing ring{line_bytes / element_bytes, {}};
  ring.order.resize(static_cast<std::size_t>(std::max<std::int64_t>(2, bytes / line_bytes)));
  std::iota(ring.order.begin(), ring.order.end(), std::int64_t{0});
  base::Random random(2);
  const auto lines = static_cast<std::int64_t>(ring.order.size());
  for (std::int64_t page = 0; page < lines; page += page_lines) {
    const std::int64_t end = std::min(page + page_lines, lines);
    for (std::int64_t i = end - 1; i > page; --i) {
      const std::int64_t j = page + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(i - page + 1)));
      std::swap(ring.order[static_cast<std::size_t>(i)], ring.order[static_cast<std::size_t>(j)]);
    }
  }
  return ring;
}

PointerRing streaming_ring(std::int64_t bytes, std::int64_t row_elements, std::int64_t stride) {
  PointerRing ring{row_elements, {}};
  // One row more than a multiple of the stride: then the stride leads through all of them before it comes back.
  const std::int64_t rounds = std::max<std::int64_t>(1, bytes / (row_elements * element_bytes) / stride);
  const std::int64_t rows = rounds * stride + 1;
  ring.order.resize(static_cast<std::size_t>(rows));
  for (std::int64_t k = 0, row = 0; k < rows; ++k, row = (row + stride) % rows)
    ring.order[static_cast<std::size_t>(k)] = row;
  return ring;
}

}  // namespace sparsecast::devices
