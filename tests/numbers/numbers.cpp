// Every kernel on matrices made at random, against sums in long double: each result within the rounding that a sum of
// so many terms may have, γ (Higham 2002, section 3.1), and the same bits where a call is repeated.
//   numbers COUNT [FIRST_SEED]     so many matrices, of seeds FIRST_SEED … (default 1); one of them: numbers 1 SEED
// Of each matrix every kernel multiplies in every precision that it has; storage, number of threads, transposed or not,
// vectors at once and their order, α and β are drawn for each. Exit status 1 at the first that is wrong, with its seed.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sparsecast/kernels.hpp>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

namespace {
using namespace sparsecast;
using Wide = std::complex<long double>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
  }
  bool once_in(std::int64_t count) { return below(count) == 0; }
  /// Of either sign, its size between 2⁻⁸ and 2⁸: no sum of them leaves any type's normal numbers.
  double value() {
    return (once_in(2) ? -1 : 1) *
           std::ldexp(1 + static_cast<double>(below(1 << 20)) / (1 << 20), static_cast<int>(below(16)) - 8);
  }

 private:
  std::mt19937_64 engine_;
};

/// The columns of every row: at random, in a band, on diagonals, in tiles, symmetric, with one long row.
std::vector<std::set<std::int64_t>> pattern(Random& random, std::int64_t rows, std::int64_t cols) {
  std::vector<std::set<std::int64_t>> all(static_cast<std::size_t>(rows));
  if (cols == 0) return all;
  const std::int64_t shape = random.below(6), mean = 1 + random.below(random.once_in(4) ? 40 : 8),
                     tile = 1 + random.below(8);
  const auto add = [&](std::int64_t row, std::int64_t column) {
    if (row >= 0 && row < rows && column >= 0 && column < cols) all[static_cast<std::size_t>(row)].insert(column);
  };
  std::vector<std::int64_t> diagonals;
  for (std::int64_t k = 0; k < mean; ++k) diagonals.push_back(random.below(rows + cols) - rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t count = random.once_in(5) ? 0 : random.below(2 * mean + 1);
    if (shape == 1)
      for (const std::int64_t d : diagonals)
        if (!random.once_in(20)) add(row, row + d);
    for (std::int64_t k = 0; k < count && shape != 1; ++k) {
      const std::int64_t column = shape == 2 ? row + random.below(2 * mean + 1) - mean : random.below(cols);
      add(row, column);
      if (shape == 3) add(column, row);
      if (shape == 4)
        for (std::int64_t i = 0; i < tile * tile; ++i)
          add(row / tile * tile + i / tile, column / tile * tile + i % tile);
    }
  }
  if (shape == 5)
    for (std::int64_t column = 0; column < cols; ++column)
      if (!random.once_in(10)) add(rows / 2, column);
  return all;
}

Matrix matrix_of(Random& random, bool complex) {
  const std::int64_t most = random.once_in(16) ? 700 : 90;
  const std::int64_t rows = random.below(most) + (random.once_in(50) ? 0 : 1),
                     cols = random.once_in(3) ? random.below(most) + 1 : rows;
  const auto columns = pattern(random, rows, cols);
  Csr<std::int32_t, std::int32_t> csr{rows, cols, {0}, {}, {}};
  const std::int64_t distinct = random.once_in(4) ? 1 + random.below(300) : 0;
  std::vector<double> few;
  for (std::int64_t k = 0; k < distinct; ++k) few.push_back(random.value());
  const auto value = [&] {
    return few.empty() ? random.value() : few[static_cast<std::size_t>(random.below(distinct))];
  };
  std::map<std::pair<std::int64_t, std::int64_t>, double> mirrored;  // symmetric in its values, where both are there
  const bool symmetric = random.once_in(2);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::int64_t column : columns[static_cast<std::size_t>(row)]) {
      const auto [at, fresh] = mirrored.try_emplace(std::minmax(row, column), 0);
      if (fresh || !symmetric) at->second = value();
      csr.column_indices.push_back(static_cast<std::int32_t>(column));
      csr.values.push_back(at->second);
      if (complex) csr.imaginary.push_back(value());
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), "drawn"};
}

template <class Value>
Value number(Random& random) {
  if constexpr (is_complex_value<Value>) {
    return Value(static_cast<typename Value::value_type>(random.value()),
                 static_cast<typename Value::value_type>(random.value()));
  } else {
    return static_cast<Value>(random.value());
  }
}

/// What one product is asked for.
struct Task {
  int threads = 1;
  bool transposed = false;
  std::int64_t vectors = 1;
  BlockOrder order = BlockOrder::row_major;
  int scaling = 0;  ///< 0: α = 1, β = 0; 1: α alone; 2: both
};

struct Tally {
  long products = 0;
  double worst = 0;  ///< of the bound
  std::map<std::string, long> by_kernel;
};

template <class Value>
void multiply(const Plan& plan, const Task& task, const std::vector<Value>& x, std::vector<Value>& y, Value alpha,
              Value beta) {
  if (task.vectors > 1) {
    const VectorBlock<const Value> from{x, task.vectors, 0, task.order};
    const VectorBlock<Value> to{y, task.vectors, 0, task.order};
    task.transposed ? plan.apply_transposed_block(from, to, alpha, beta) : plan.apply_block(from, to, alpha, beta);
  } else {
    const std::span<const Value> from(x);
    const std::span<Value> to(y);
    task.transposed ? plan.apply_transposed(from, to, alpha, beta) : plan.apply(from, to, alpha, beta);
  }
}

/// The largest share of its bound that an entry is off by; infinite for a NaN.
template <class Value>
double share_of_bound(const Matrix& matrix, const Task& task, const std::vector<Value>& x,
                      const std::vector<Value>& before, const std::vector<Value>& y, Value alpha, Value beta) {
  const std::int64_t from = task.transposed ? matrix.rows() : matrix.cols(),
                     to = task.transposed ? matrix.cols() : matrix.rows();
  using Part = decltype(std::abs(Value{}));
  constexpr long double unit = std::numeric_limits<Part>::epsilon() / 2;
  double worst = 0;
  for (std::int64_t v = 0; v < task.vectors; ++v) {
    const auto at = [&](std::int64_t i, std::int64_t length) {
      return static_cast<std::size_t>(task.order == BlockOrder::row_major ? i * task.vectors + v : v * length + i);
    };
    std::vector<Wide> sum(static_cast<std::size_t>(to));
    std::vector<long double> size(sum.size()), terms(sum.size());
    matrix.visit_for<Value>([&](const auto& csr) {
      for (std::int64_t row = 0; row < csr.rows; ++row)
        for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
          const std::int64_t column = csr.column_indices[k];
          const auto i = static_cast<std::size_t>(task.transposed ? column : row);
          const Wide term =
              Wide(alpha) * Wide(value_from<Value>(csr.values[k])) * Wide(x[at(task.transposed ? row : column, from)]);
          sum[i] += term;
          size[i] += std::abs(term);
          ++terms[i];
        }
    });
    for (std::int64_t row = 0; row < to; ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (task.scaling == 2) {
        sum[i] += Wide(beta) * Wide(before[at(row, to)]);
        size[i] += std::abs(Wide(beta) * Wide(before[at(row, to)]));
      }
      // γ of as many operations as a term may go through: its product and n − 1 sums, with α, β and the last sum two
      // more. A complex product is two products and a sum, and both parts are off (sections 3.1 and 3.6).
      const long double plain = terms[i] + (task.scaling > 0 ? 2 : 0);
      const long double nu = (is_complex_value<Value> ? 2 * plain + 1 : plain) * unit;
      const long double bound = (is_complex_value<Value> ? std::sqrt(2.0L) : 1) * nu / (1 - nu) * size[i];
      const long double off = std::abs(Wide(y[at(row, to)]) - sum[i]);
      if (!(off <= bound)) return std::numeric_limits<double>::infinity();
      if (bound > 0) worst = std::max(worst, static_cast<double>(off / bound));
    }
  }
  return worst;
}

/// Empty where all is well.
template <class Value>
std::string trouble(const Matrix& matrix, const std::string& kernel, Random& random, Tally& tally) {
  const Task task{
      1 + static_cast<int>(random.below(3)), random.once_in(3), random.once_in(2) ? 1 : 2 + random.below(16),
      random.once_in(2) ? BlockOrder::row_major : BlockOrder::column_major, static_cast<int>(random.below(3))};
  const Plan plan(matrix, one_kernel(matrix, kernel, precision_of<Value>, task.threads));
  const auto x_size = static_cast<std::size_t>(task.vectors * (task.transposed ? matrix.rows() : matrix.cols()));
  const auto y_size = static_cast<std::size_t>(task.vectors * (task.transposed ? matrix.cols() : matrix.rows()));
  std::vector<Value> x, before;
  for (std::size_t k = 0; k < x_size; ++k) x.push_back(number<Value>(random));
  for (std::size_t k = 0; k < y_size; ++k)
    before.push_back(task.scaling == 2 ? number<Value>(random) : Value(std::nanf("")));
  const Value alpha = task.scaling > 0 ? number<Value>(random) : Value(1),
              beta = task.scaling == 2 ? number<Value>(random) : Value(0);
  std::vector<Value> y = before, again = before;
  multiply(plan, task, x, y, alpha, beta);
  multiply(plan, task, x, again, alpha, beta);
  ++tally.products;
  ++tally.by_kernel[kernel];
  const double share = share_of_bound(matrix, task, x, before, y, alpha, beta);
  tally.worst = std::max(tally.worst, share);
  const bool same = y.empty() || std::memcmp(y.data(), again.data(), y.size() * sizeof(Value)) == 0;
  if (share <= 1 && same) return {};
  return kernel + " in " + std::string(to_string(precision_of<Value>)) + ", " + std::to_string(task.threads) +
         " threads, " + std::to_string(task.vectors) + " vectors" + (task.transposed ? ", transposed" : "") +
         ", scaling " + std::to_string(task.scaling) + (same ? ": beyond the bound" : ": other bits the second time");
}

std::string trouble_of(std::uint64_t seed, Tally& tally) {
  Random random(seed);
  const Matrix real = matrix_of(random, false), complex = matrix_of(random, true);
  for (const Kernel& kernel : kernel_table()) {
    if (!kernel.on_host) continue;
    const std::string name(kernel.name);
    const auto storage = random.once_in(2) ? ValueStorage::given : static_cast<ValueStorage>(1 + random.below(3));
    const Matrix stored = storage == ValueStorage::given ? real : rounded_to(storage, real).matrix;
    std::string wrong = trouble<double>(stored, name, random, tally);
    if (wrong.empty()) wrong = trouble<float>(stored, name, random, tally);
    constexpr std::array with_complex{"csr", "csr-merge", "sell", "bsr"};
    if (std::ranges::find(with_complex, name) != with_complex.end()) {
      if (wrong.empty()) wrong = trouble<std::complex<double>>(complex, name, random, tally);
      if (wrong.empty()) wrong = trouble<std::complex<float>>(complex, name, random, tally);
    }
    if (!wrong.empty()) return wrong + ", storage " + std::string(to_string(storage));
  }
  return {};
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "numbers COUNT [FIRST_SEED]\n");
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10),
                      first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string wrong = trouble_of(seed, tally);
    if (!wrong.empty()) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
      return 1;
    }
  }
  std::printf("%llu matrices of seeds %llu …, %ld products of %zu kernels, at most %.2f of the bound\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(first), tally.products,
              tally.by_kernel.size(), tally.worst);
  return tally.products > 0 ? 0 : 1;
}
