#include "formats/product_dots.hpp"

#include <array>

#include "formats/kernels.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/vector_loops.hpp"

namespace sparsecast::formats {
namespace {
// Parts of so many steps are even within a thirtieth although they have whole ones.
constexpr std::int64_t least_steps = 16;

// On a line of its own, so that no two threads write one.
template <class Value>
struct alignas(64) PartDots {
  DotSums<Value> sums;
};

template <class Value>
DotSums<Value> sum_of(const std::vector<PartDots<Value>>& parts) {
  DotSums<Value> all;
  for (const PartDots<Value>& part : parts) all += part.sums;
  return all;
}
}  // namespace

bool takes_dots(const KernelInfo& kernel, std::int64_t rows, int threads) {
  return kernel.dots_step > 0 && rows >= least_steps * kernel.dots_step * std::max(1, threads);
}

template <class Value>
DotSums<Value> dots_of_rows(std::int64_t count, const Value* w, const Value* y) {
  if constexpr (std::is_same_v<Value, double>) {
    const TwoSums sums = vector_loops().dot_and_square(count, w, y);
    return {sums.first, sums.second};
  } else if constexpr (is_complex_value<Value>) {
    double real = 0, imaginary = 0, square = 0;
#pragma omp simd reduction(+ : real, imaginary, square)
    for (std::int64_t i = 0; i < count; ++i) {
      const double wr = w[i].real(), wi = w[i].imag(), yr = y[i].real(), yi = y[i].imag();
      real += wr * yr + wi * yi;
      imaginary += wr * yi - wi * yr;
      square += yr * yr + yi * yi;
    }
    return {{real, imaginary}, square};
  } else {
    double with_w = 0, with_y = 0;
#pragma omp simd reduction(+ : with_w, with_y)
    for (std::int64_t i = 0; i < count; ++i) {
      const double of_y = y[i];
      with_w += double{w[i]} * of_y;
      with_y += of_y * of_y;
    }
    return {with_w, with_y};
  }
}

template <class Value>
DotSums<Value> dots_apart(std::span<const Value> w, std::span<const Value> y, int threads) {
  const int parts = std::max(1, threads);
  const auto rows = static_cast<std::int64_t>(y.size());
  std::vector<PartDots<Value>> sums(static_cast<std::size_t>(parts));
  for_each_part(parts, [&](int part) {
    const std::int64_t first = part_begin(rows, part, parts), last = part_begin(rows, part + 1, parts);
    sums[static_cast<std::size_t>(part)].sums = dots_of_rows(last - first, w.data() + first, y.data() + first);
  });
  return sum_of(sums);
}

template <class Value>
DotSums<Value> ProductDots<Value>::apply(const Scaling<Value>& scaling, std::span<const Value> w,
                                         std::span<const Value> x, std::span<Value> y,
                                         Workspace<Value>& workspace) const {
  if (parts_.bounds.empty()) {
    DotSums<Value> all;
    if (scaling.plain() && product_.apply_with_dots(w.data(), x.data(), y.data(), all)) return all;
    product_.apply_scaled(scaling, x, y, workspace);
    return dots_apart<Value>(w, y, workspace.threads());
  }
  const std::int64_t block = std::max(parts_.step, dotted_rows / parts_.step * parts_.step);
  const auto parts = static_cast<int>(parts_.bounds.size()) - 1;
  std::vector<PartDots<Value>> sums(static_cast<std::size_t>(parts));
  auto products = workspace.borrow(scaling.plain() ? 0 : block * parts);
  for_each_part(parts, [&](int part) {
    const auto p = static_cast<std::size_t>(part);
    const std::int64_t end = parts_.bounds[p + 1];
    Value* const product = scaling.plain() ? nullptr : products.data() + block * part;
    for (std::int64_t first = parts_.bounds[p]; first < end; first += block) {
      const std::int64_t count = std::min(block, end - first);
      Value* const to = y.data() + first;
      if (scaling.plain()) {
        product_.apply_rows(first, first + count, x.data(), y.data());
      } else {
        product_.apply_rows(first, first + count, x.data(), product - first);
        for (std::int64_t i = 0; i < count; ++i) {
          to[i] = scaled_sum(scaling.alpha, product[i], scaling.beta, to[i]);
        }
      }
      sums[p].sums += dots_of_rows(count, w.data() + first, static_cast<const Value*>(to));
    }
  });
  return sum_of(sums);
}

#define SPARSECAST_INSTANTIATE(Value)                                                 \
  template class ProductDots<Value>;                                                  \
  template DotSums<Value> dots_of_rows(std::int64_t, std::add_pointer_t<const Value>, \
                                       std::add_pointer_t<const Value>);              \
  template DotSums<Value> dots_apart(std::span<const Value>, std::span<const Value>, int);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE
}  // namespace sparsecast::formats
