#pragma once
// Builds a matrix row by row, in parallel: first every row's length, then its columns, then its values.

#include <functional>
#include <map>
#include <sparsecast/generate.hpp>

namespace sparsecast::matrix {
// Logarithm, exponential and normal quantile from + − × ÷ and √ alone. IEEE 754 fixes the result of those to the last
// bit, while the C library's log and exp differ between systems; a generated matrix must not.
// These sources are compiled with -ffp-contract=off (src/matrix/room.cmake): a fused multiply-add rounds once less.

/// Natural logarithm of a positive normal number, to about 1e-15.
double portable_log(double x) noexcept;
/// e^x for |x| < 700, to about 1e-15.
double portable_exp(double x) noexcept;
/// The z with P(Z ≤ z) = p for a standard normal Z, 0 < p < 1; relative error below 1.2e-9 (Acklam's rational forms).
double normal_quantile(double p) noexcept;

// Random numbers from a counter: the n-th number of stream (seed, row, purpose) is a mix of these four, so that any
// thread can make any row without having made those before it. The mixing function is SplitMix64's finalizer (Steele,
// Lea & Flood 2014). Not for cryptography. std:: distributions are not used: their results differ between libraries.

constexpr std::uint64_t mix_bits(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

/// Upper 64 bits of a × b: maps a uniform word a to 0 … b − 1, in the same order as a (Lemire 2019, without the
/// rejection step; the bias is below b / 2^64).
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

class CounterRandom {
 public:
  /// `purpose` separates streams of one row that must not repeat each other (lengths, columns, values).
  CounterRandom(std::uint64_t seed, std::int64_t row, std::uint64_t purpose) noexcept
      : state_(mix_bits(mix_bits(seed + 0x9E3779B97F4A7C15U * (purpose + 1)) ^
                        (static_cast<std::uint64_t>(row) * 0xD1342543DE82EF95U + 1))) {}

  std::uint64_t bits() noexcept { return mix_bits(state_ += 0x9E3779B97F4A7C15U); }
  /// 0 … bound − 1; bound must be positive.
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>(multiply_high(bits(), static_cast<std::uint64_t>(bound)));
  }
  /// In (0, 1), never the ends: a multiple of 2^-53 plus half of that.
  double unit() noexcept { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t state_;
};

/// An element of (0, 2] with three decimals, so that files of generated matrices stay short.
constexpr double short_value(std::uint64_t bits) noexcept {
  return static_cast<double>(multiply_high(bits, 2000) + 1) / 1000.0;
}

/// A recipe with every parameter of its kind looked up and checked to be a finite number.
struct GeneratorCall {
  std::string name;  ///< of the matrix
  std::uint64_t seed = 0;
  std::map<std::string, double> numbers;  ///< given or standard
  std::map<std::string, bool> given;

  [[nodiscard]] double number(const std::string& parameter) const { return numbers.at(parameter); }
  /// A whole number ≥ least; Error usage otherwise.
  [[nodiscard]] std::int64_t count(const std::string& parameter, std::int64_t least = 0) const;
  /// A number in [least, most]; Error usage otherwise.
  [[nodiscard]] double between(const std::string& parameter, double least, double most) const;
  /// "rows" and "cols" (as many as rows where not given).
  [[nodiscard]] std::int64_t rows() const { return count("rows", 0); }
  [[nodiscard]] std::int64_t cols() const { return given.at("cols") ? count("cols", 0) : rows(); }
};

using Generator = Matrix (*)(const GeneratorCall& call, int threads);

Matrix generate_constant(const GeneratorCall& call, int threads);
Matrix generate_normal(const GeneratorCall& call, int threads);
Matrix generate_uniform(const GeneratorCall& call, int threads);
Matrix generate_random(const GeneratorCall& call, int threads);
Matrix generate_powerlaw(const GeneratorCall& call, int threads);
Matrix generate_longrow(const GeneratorCall& call, int threads);
Matrix generate_poisson2d(const GeneratorCall& call, int threads);
Matrix generate_poisson3d(const GeneratorCall& call, int threads);
Matrix generate_stencil27(const GeneratorCall& call, int threads);
Matrix generate_structured(const GeneratorCall& call, int threads);
Matrix generate_rmat(const GeneratorCall& call, int threads);
Matrix generate_geometric(const GeneratorCall& call, int threads);
Matrix generate_banded(const GeneratorCall& call, int threads);
Matrix generate_blocks(const GeneratorCall& call, int threads);

struct LengthTargets {
  std::int64_t rows = 0, cols = 0;
  double mean = 0, deviation = 0;
  double skew = -1;  ///< (maximum − mean) / mean; negative: not prescribed
};

/// One length per row, in random order. Error usage where no lengths in 0 … cols have these targets.
std::vector<std::int32_t> structured_lengths(const LengthTargets& targets, std::uint64_t seed, int threads);

// Draws distinct sorted numbers uniformly, in time proportional to how many are drawn.

/// Memory that is reused from row to row.
struct DrawScratch {
  std::vector<std::uint64_t> words;
  std::vector<std::uint32_t> buckets;
  std::vector<std::int32_t> drawn, merged;
};

/// Fills `out` with distinct numbers from 0 … bound − 1, ascending, every set equally likely. out.size() ≤ bound <
/// 2^31.
void draw_distinct(CounterRandom& random, std::int64_t bound, std::span<std::int32_t> out, DrawScratch& scratch);

/// What a generator says of its matrix. The functions are called from several threads at once, each row once.
struct RowRecipe {
  std::int64_t rows = 0, cols = 0;
  /// Non-zeros of a row.
  std::function<std::int64_t(std::int64_t row)> length;
  /// Writes as many columns, ascending and distinct.
  std::function<void(std::int64_t row, std::span<std::int32_t> columns, DrawScratch& scratch)> columns;
  /// Writes the values of a row.
  std::function<void(std::int64_t row, std::span<const std::int32_t> columns, std::span<double> values)> values;
  /// Instead of `columns`: consecutive rows that are made in order by one thread, `group_rows` at a time.
  std::int64_t group_rows = 0;
  /// Writes the columns of rows [first, last); `starts` holds the offsets of these rows in `columns` and its end.
  std::function<void(std::int64_t first, std::int64_t last, std::span<const std::int64_t> starts,
                     std::span<std::int32_t> columns, DrawScratch& scratch)>
      group_columns;
};

/// Refuses (Error usage, with the figure) a matrix that this machine's memory or 31-bit column numbers cannot hold.
/// `nonzeros` may be an estimate.
void require_buildable(const std::string& what, double rows, double cols, double nonzeros);

Matrix build_rows(const RowRecipe& recipe, std::string name, int threads);

/// Values of a general matrix: a function of seed and row.
std::function<void(std::int64_t, std::span<const std::int32_t>, std::span<double>)> random_values(std::uint64_t seed);
/// Values of a symmetric matrix: a function of seed and the unordered pair (row, column).
std::function<void(std::int64_t, std::span<const std::int32_t>, std::span<double>)> symmetric_values(
    std::uint64_t seed);

// Completes a symmetric matrix from its strictly lower triangle.

/// `lower` describes the rows of the strictly lower triangle (columns below the row's number). The result has that
/// triangle, its mirror image and a full diagonal; values are symmetric_values(seed).
Matrix build_symmetric(const RowRecipe& lower, std::uint64_t seed, std::string name, int threads);
}  // namespace sparsecast::matrix
