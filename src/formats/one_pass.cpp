#include "formats/one_pass.hpp"

#include <algorithm>

#include "formats/parts/split.hpp"

namespace sparsecast::formats {
namespace {
// Of a part: few enough that what they set to 0 is still in the cache when it is added to, and many enough that calls
// cost nothing.
constexpr std::int64_t chunks_of_part = 1024;
// More work than this share of a part behind the barrier, and pieces of y cost less.
constexpr double most_behind_barrier = 0.1;
}  // namespace

template <class Value>
OnePass<Value>::OnePass(const HostProduct<Value>& product, std::int64_t cols) : product_(product), cols_(cols) {
  const std::vector<std::int64_t> bounds = product.one_pass_parts();
  parts_.resize(bounds.size() - 1);
  for_each_part(static_cast<int>(parts_.size()), [&](int p) {
    Part& part = parts_[static_cast<std::size_t>(p)];
    const std::int64_t first = bounds[static_cast<std::size_t>(p)], last = bounds[static_cast<std::size_t>(p) + 1];
    const std::int64_t step = std::max<std::int64_t>(1, (last - first) / chunks_of_part);
    part.columns = {cols, 0};
    for (std::int64_t unit = first; unit < last; unit += step) {
      const std::int64_t end = std::min(last, unit + step);
      const ColumnRange range = product.one_pass_columns(unit, end);
      part.columns.first = std::min(part.columns.first, range.first);
      part.columns.last = std::max(part.columns.last, range.last);
      part.inner.push_back({unit, end, part.columns.last});
    }
    part.columns.first = std::min(part.columns.first, part.columns.last);  // where there are no entries
  });
  share_columns();
}

// Part p owns the columns from the first that it or a later one has to the first that a later one has. What it does
// behind the barrier must not meet what the others do there.
template <class Value>
void OnePass<Value>::share_columns() {
  std::int64_t end = cols_;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    part->end = end;
    end = part->columns.last == 0 ? end : std::min(end, part->columns.first);
    part->begin = end;
  }
  parts_.front().begin = 0;
  for (std::size_t p = 0; p + 1 < parts_.size(); ++p) {
    Part& part = parts_[p];
    const auto reaches = std::ranges::find_if(part.inner, [&](const Chunk& c) { return c.columns_end > part.end; });
    const auto behind = static_cast<double>(part.inner.end() - reaches);
    owned_ = owned_ && behind <= most_behind_barrier * static_cast<double>(part.inner.size());
    part.outer.assign(reaches, part.inner.end());
  }
  for (std::size_t p = 0; owned_ && p + 1 < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.outer.empty()) continue;
    // These begin within the part's own columns and may reach to its last one's end.
    for (std::size_t q = p + 1; q < parts_.size(); ++q)
      if (!parts_[q].outer.empty() &&
          product_.one_pass_columns(parts_[q].outer.front().first, parts_[q].outer.back().last).first <
              part.columns.last)
        owned_ = false;
  }
  for (Part& part : parts_) {
    if (owned_)
      part.inner.resize(part.inner.size() - part.outer.size());
    else
      part.outer.clear();
  }
}

// Columns begin … end − 1 of y are set to 0 on the way, however far the chunks reach.
template <class Value>
void OnePass<Value>::add(const std::vector<Chunk>& chunks, std::int64_t begin, std::int64_t end, const Value* x,
                         Value* y) const {
  for (const Chunk& chunk : chunks) {
    const std::int64_t reached = std::min(chunk.columns_end, end);
    if (reached > begin) {
      std::fill(y + begin, y + reached, Value{0});
      begin = reached;
    }
    product_.add_one_pass(chunk.first, chunk.last, x, y);
  }
  if (end > begin) std::fill(y + begin, y + end, Value{0});
}

template <class Value>
void OnePass<Value>::apply(const Value* x, Value* y, Workspace<Value>& workspace) const {
  const int parts = static_cast<int>(parts_.size());
  if (owned_) {
    for_each_part(parts, [&](int p) {
      const Part& part = parts_[static_cast<std::size_t>(p)];
      add(part.inner, part.begin, part.end, x, y);
    });
    if (std::ranges::all_of(parts_, [](const Part& part) { return part.outer.empty(); })) return;
    for_each_part(parts, [&](int p) {
      for (const Chunk& chunk : parts_[static_cast<std::size_t>(p)].outer)
        product_.add_one_pass(chunk.first, chunk.last, x, y);
    });
    return;
  }
  std::vector<std::int64_t> begin{0, 0};
  for (std::size_t p = 1; p < parts_.size(); ++p)
    begin.push_back(saturating_sum(begin.back(), parts_[p].columns.last - parts_[p].columns.first));
  auto pieces = workspace.borrow(begin.back());
  for_each_part(parts, [&](int p) {
    const Part& part = parts_[static_cast<std::size_t>(p)];
    if (p == 0) return add(part.inner, 0, cols_, x, y);
    const ColumnRange& range = part.columns;
    add(part.inner, range.first, range.last, x, pieces.data() + begin[static_cast<std::size_t>(p)] - range.first);
  });
  for_each_part(parts, [&](int q) {
    const std::int64_t first = part_begin(cols_, q, parts), last = part_begin(cols_, q + 1, parts);
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      const ColumnRange& range = parts_[p].columns;
      const Value* piece = pieces.data() + begin[p] - range.first;
      const std::int64_t end = std::min(last, range.last);
      for (std::int64_t i = std::max(first, range.first); i < end; ++i) y[i] += piece[i];
    }
  });
}

template class OnePass<float>;
template class OnePass<double>;
template class OnePass<std::complex<float>>;
template class OnePass<std::complex<double>>;
}  // namespace sparsecast::formats
