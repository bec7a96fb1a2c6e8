#include "hardware/self_check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "formats/kernels.hpp"
#include "formats/reference.hpp"

namespace sparsecast::hardware {
namespace {
// Stands for "not a number at all" in a document that has no infinities.
constexpr double most_error = 1e300;

// Random columns, distinct and ascending, `length(row)` of them in each row; values in [−1, 1), or so many different
// ones, which a float holds.
template <class Offset>
Matrix random_matrix(std::int64_t rows, std::int64_t cols, const std::function<std::int64_t(std::int64_t)>& length,
                     const std::string& name, int values = 0) {
  Csr<Offset, std::int32_t> csr{rows, cols, {}, {}, {}};
  csr.row_pointers.push_back(0);
  base::Random random(7);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t wanted = std::min(cols, length(row));
    // Selection sampling (Knuth 3.4.2 S) for dense rows, a stride with a random start for sparse ones.
    if (wanted * 4 > cols) {
      std::int64_t left = wanted;
      for (std::int64_t c = 0; c < cols && left > 0; ++c)
        if (static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(cols - c))) < left) {
          csr.column_indices.push_back(static_cast<std::int32_t>(c));
          --left;
        }
    } else {
      for (std::int64_t k = 0; k < wanted; ++k) {
        const std::int64_t begin = cols * k / wanted, end = cols * (k + 1) / wanted;
        csr.column_indices.push_back(static_cast<std::int32_t>(
            begin + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(end - begin)))));
      }
    }
    csr.row_pointers.push_back(static_cast<Offset>(csr.column_indices.size()));
  }
  csr.values.resize(csr.column_indices.size());
  for (std::size_t k = 0; k < csr.values.size(); ++k)
    csr.values[k] =
        values > 0 ? 0.5 + 0.25 * static_cast<double>(k % static_cast<std::size_t>(values)) : 2 * random.uniform() - 1;
  return {std::move(csr), name};
}

struct Shape {
  std::string name;
  std::int64_t rows, cols;
  std::function<std::int64_t(std::int64_t)> length;
};

std::vector<Shape> shapes(const DeviceProperties& properties) {
  const auto same = [](std::int64_t length) { return [length](std::int64_t) { return length; }; };
  std::vector<Shape> all{
#include "hardware/self_check_shapes.def"
  };
  for (const std::int64_t rows : {31, 32, 33, 255, 256, 257, 1791, 1792, 1793})
    all.push_back({fmt::format("{} rows", rows), rows, 500, [](std::int64_t r) { return 1 + r % 9; }});
  std::vector<std::int64_t> borders;
  for (const formats::WorkUnit unit : {formats::WorkUnit::row_per_warp, formats::WorkUnit::row_per_thread}) {
    const std::string_view kernel = std::ranges::find(formats::kernel_table(), unit, &formats::KernelInfo::unit)->name;
    for (const std::int64_t off : {-1, 0, 1}) borders.push_back(properties.strip(std::string(kernel)) + off);
  }
  for (const std::int64_t rows : borders)
    // The strip of a large GPU takes 270,000 rows: short rows keep the check quick there too.
    if (rows > 1 && rows < 5'000'000)
      all.push_back({fmt::format("{} rows, a strip's border", rows), rows, 1000, [](std::int64_t r) { return r % 5; }});
  return all;
}

template <class Value>
void compare(Device& device, const Matrix& matrix, KernelCheck& check) {
  Array<Value> x(static_cast<std::size_t>(matrix.cols()));
  base::Random random(3);
  for (Value& value : x) value = static_cast<Value>(0.5 + random.uniform());
  const Structure structure = analyze(matrix);
  check.remark = formats::refusal_of(check.kernel, structure);
  if (!check.remark.empty()) return;  // a form made for another structure is not built
  const formats::ReferenceProduct reference = formats::reference_product<Value>(matrix, std::span<const Value>(x));
  const auto wrong = [&](std::string remark, double error) {
    if (check.agrees) check.remark = std::move(remark);
    check.agrees = false;
    check.error = std::max(check.error, error);
  };
  // A block of several vectors, by rows: x, 2x, 4x, …, whose products are the same but for their exponents.
  const bool blocks = device.properties().kind != DeviceKind::host && formats::kernel_or_plain(check.kernel).gpu.blocks;
  for (const std::size_t vectors : {1, 3}) {
    if (vectors > 1 && !blocks) continue;
    std::vector<double> block;
    for (const Value value : x)
      for (std::size_t v = 0; v < vectors; ++v)
        block.push_back(std::ldexp(static_cast<double>(value), static_cast<int>(v)));
    const std::vector<double> y =
        device
            .prepare(matrix, structure, check.kernel, check.precision, {.vectors = static_cast<std::int64_t>(vectors)})
            ->multiply(block);
    if (y.size() != reference.y.size() * vectors)
      return wrong(fmt::format("{} numbers instead of {}", y.size(), reference.y.size() * vectors), most_error);
    for (std::size_t at = 0; at < y.size(); ++at) {
      const std::size_t row = at / vectors;
      const double seen = std::ldexp(y[at], -static_cast<int>(at % vectors));
      const double difference = std::abs(seen - reference.y[row]);
      const double error = difference == 0 ? 0 : difference / reference.bound[row];
      // Written so that a NaN is wrong.
      if (error <= 1) {
        check.error = std::max(check.error, error);
      } else {
        wrong(fmt::format("row {} is {} instead of {}", row, seen, reference.y[row]),
              std::isfinite(error) ? error : most_error);
      }
    }
  }
}
}  // namespace

std::vector<CheckMatrix> check_matrices(const DeviceProperties& properties) {
  std::vector<CheckMatrix> matrices;
  for (const Shape& shape : shapes(properties)) {
    matrices.push_back({shape.name, random_matrix<std::int32_t>(shape.rows, shape.cols, shape.length, shape.name)});
    matrices.push_back({shape.name, random_matrix<std::int64_t>(shape.rows, shape.cols, shape.length, shape.name)});
  }
  // What the kernels made for a structure are built for: diagonals, blocks, values that repeat or that floats hold, in
  // columns near each other and far apart.
  for (const MatrixSpec& spec : {MatrixSpec{.kind = "poisson2d", .parameters = {.size = 40}},
                                 MatrixSpec{.kind = "blocks", .row_length = 27, .rows = 999, .cols = 999}})
    matrices.push_back({spec.kind, generate(spec)});
  for (const std::int64_t cols : {3000, 300'000}) {
    for (const int values : {1, 7, 200, 5000}) {
      const std::string name = fmt::format("{} values in {} columns", values, cols);
      matrices.push_back({name, random_matrix<std::int32_t>(
                                    3000, cols, [](std::int64_t r) { return 3 + r % 11; }, name, values)});
    }
  }
  return matrices;
}

KernelCheck check_kernel(Device& device, const CheckMatrix& matrix, const std::string& kernel, Precision precision,
                         Voice voice) {
  KernelCheck check{kernel, precision, 32, matrix.name, true, 0, ""};
  check.offset_bits = matrix.matrix.visit_pattern(
      [](const auto& csr) { return static_cast<int>(8 * sizeof(typename std::decay_t<decltype(csr)>::Offset)); });
  try {
    precision == Precision::single_ ? compare<float>(device, matrix.matrix, check)
                                    : compare<double>(device, matrix.matrix, check);
  } catch (const Error& error) {
    // An unknown kernel is the caller's mistake; a format that does not fit, or a precision that the device has not, is
    // a refusal and no wrong result.
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::usage) throw;
    check.agrees = error.code() == ErrorCode::unavailable || error.code() == ErrorCode::too_large;
    check.remark = error.message(voice);
  }
  return check;
}

std::vector<KernelCheck> check_kernels(Device& device, const std::vector<std::string>& kernels,
                                       const std::function<void(const std::string&)>& begun, Voice voice) {
  const std::vector<CheckMatrix> matrices = check_matrices(device.properties());
  std::vector<KernelCheck> checks;
  for (const std::string& kernel : kernels.empty() ? device.kernels() : kernels) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      if (begun) begun(fmt::format("checking {} in {}", kernel, precision == Precision::single_ ? "single" : "double"));
      for (const CheckMatrix& matrix : matrices) {
        base::throw_if_interrupted();
        checks.push_back(check_kernel(device, matrix, kernel, precision, voice));
      }
    }
  }
  return checks;
}
}  // namespace sparsecast::hardware
