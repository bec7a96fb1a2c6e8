#pragma once
// Plan: the fastest way found to multiply one matrix on one device, ready to run. The rows are cut into blocks of
// strips, each block in the kernel that is forecast to be fastest for it (Guo, Wang & Chen 2014, section 4); where no
// cut wins by more than the forecast's own uncertainty, the plan is one kernel for the whole matrix.
//
// For example, on this machine, once `sparsecast calibrate` has measured it:
//
//   #include <cstdio>
//   #include <sparsecast/generate.hpp>
//   #include <sparsecast/plan.hpp>
//   #include <vector>
//
//   int main() {
//     const sparsecast::Matrix matrix = sparsecast::generate({.kind = "poisson2d", .parameters = {.size = 100}});
//     const sparsecast::Plan plan = sparsecast::plan({.matrix = matrix, .strategy = {.iterations = 500}});
//     const std::vector<double> x(matrix.cols(), 1.0);
//     std::vector<double> y(matrix.rows());
//     plan.apply(x, y);  // y = A·x, from any number of threads at once
//     std::printf("%s: %s\n", plan.strategy().blocks.front().kernel.c_str(), plan.strategy().reason.c_str());
//   }
//
// Thread safety: the structs are values; threads may share one that none of them changes. Planner, Plan and the
// functions say theirs below.

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sparsecast/forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/plan_request.hpp>
#include <sparsecast/powers.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/trials.hpp>
#include <sparsecast/vector_block.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {
namespace planning {
class Runner;       // carries a strategy out; no part of the interface
class OrderSearch;  // of reorder.hpp; neither
}  // namespace planning

/// Strips first_strip … last_strip (counted from 1, as in the paper), rows first_row … last_row (from 0), inclusive.
struct PlannedBlock {
  std::int64_t first_strip = 1, last_strip = 1;
  std::int64_t first_row = 0, last_row = -1;
  std::string kernel;       ///< as in kernel_table()
  bool reordered = false;   ///< true: rows sorted by length within windows of 1024
  double seconds = 0;       ///< predicted time
  double conversion_s = 0;  ///< predicted time of the conversion from CSR
};

/// One kernel for the whole matrix.
struct SingleKernel {
  std::string kernel;                     ///< as in kernel_table()
  double seconds = 0;                     ///< predicted time
  double conversion_s = 0;                ///< predicted time of the conversion from CSR
  std::optional<double> measured_s = {};  ///< where it was measured beside the plan
  std::string status = {};                ///< of that: ok, or why there is no time; empty where it was not tried
  double low_s = 0, high_s = 0;           ///< 90 % interval of the forecast; 0 where the model gives none
  std::int64_t bytes = 0;                 ///< of its format; 0 where that is not known
};

/// What multiplies by Aᵀ in a plan for A and Aᵀ in turns.
enum class TransposeStorage {
  symmetric,    ///< what multiplies by A: Aᵀ is A
  shared,       ///< the storage of A, or the matrix's own arrays where that has no such product
  second_form,  ///< A in another kernel's form
  transpose,    ///< Aᵀ, stored beside A
};
/// As documents write it. Thread safety: safe from several threads at once.
[[nodiscard]] std::string_view to_string(TransposeStorage storage);

/// The other half of a plan for A and Aᵀ in turns; the blocks of its Strategy are A's.
struct PlannedTranspose {
  TransposeStorage storage = TransposeStorage::shared;
  std::vector<PlannedBlock> blocks = {};  ///< of what is stored for it alone, in its rows; empty where nothing is
  int threads = 0;
  double seconds = 0;                             ///< time of one product with Aᵀ, measured or forecast
  double beside_s = 0;                            ///< of y = A·x in turns with it, as measured; 0: not measured
  double conversion_s = 0;                        ///< time to convert its blocks and to make Aᵀ
  double normal_share = 1, transposed_share = 1;  ///< as they were asked for
  std::string reason = {};                        ///< why this storage was chosen
};

/// How to multiply one matrix on one device: what Planner found and Plan carries out.
struct Strategy {
  std::vector<PlannedBlock> blocks;   ///< in order of rows; they cover every row once
  double predicted_s = 0;             ///< one product; never above best_single.seconds where iterations is 0
  double conversion_s = 0;            ///< time to convert all blocks from CSR
  std::vector<SingleKernel> singles;  ///< fastest first (with iterations: what finishes first)
  SingleKernel best_single;

  /// The best cut into two or more blocks that was looked at, recommended or not; none where rows do not change
  /// character: expected share of the time saved over the best single kernel, with a 90 % interval.
  std::vector<PlannedBlock> best_cut;
  double gain = 0, gain_low = 0, gain_high = 0;
  bool cut = false;    ///< true: the plan is that cut
  std::string reason;  ///< why the plan is that cut, or is not

  std::int64_t strips = 0, strip_rows = 0;
  std::int64_t iterations = 0;  ///< number of products requested; 0: rank by one product
  /// From so many products on the plan has earned back its conversion, against plain csr; 0: from the first one on,
  /// −1: never.
  std::int64_t break_even = 0;
  double planning_s = 0;                      ///< time from the matrix in memory to the strategy
  std::optional<TrialReport> trials = {};     ///< trials, if any were requested; the plan's times are then measured
  std::optional<PowersStrategy> powers = {};  ///< powers of the matrix, if they were requested
  std::string device;
  Precision precision = Precision::double_;
  int threads = 0;           ///< host threads; 0 on other devices
  std::int64_t vectors = 1;  ///< the product that times are of: of so many vectors, by the transpose
  bool transposed = false;
  std::optional<PlannedTranspose> transpose = {};  ///< of a plan for A and Aᵀ in turns
};

/// One kernel for the whole matrix on the host, without a profile and without a forecast. `threads`: 0:
/// default_threads(). Error usage for a kernel that the host does not have. Thread safety: safe from several threads at
/// once.
[[nodiscard]] Strategy one_kernel(const Matrix& matrix, const std::string& kernel,
                                  Precision precision = Precision::double_, int threads = 0);

/// Finds strategies on one device. Making it fits the models and plans once to warm up; strategy() then
/// takes some products of a large matrix and, for the matrix's structure, some tens of a small one. Thread safety:
/// threads may share one and ask it at once.
class Planner {
 public:
  /// `threads`: of the host, 0: default_threads(); ignored for other devices. `notice`: as in FitOptions. The fits are
  /// kept in $SPARSECAST_HOME, so that only the first Planner of a profile takes seconds to make. Error failed where
  /// the profile has no records for that precision (for single precision: nor in double) and number of threads.
  /// `model`: a name of model_names(); "best" and "sparsecast" are the product's own. The papers' models ("guo", …) are
  /// asked for every block, as their authors did, and followed wherever they promise a gain; planning then takes a
  /// fraction of a second. Error usage for an unknown name.
  Planner(const Profile& profile, Precision precision = Precision::double_, int threads = 0,
          const FitNotice& notice = {}, const std::string& model = "best");
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  /// Error usage for options out of range; failed where no kernel can be forecast for the matrix.
  [[nodiscard]] Strategy strategy(const Matrix& matrix, const StrategyOptions& options = {}) const;
  /// What strategy() reads of a matrix, for planners of the same device and precision. For plans of so many products,
  /// 0: any number; the fewer they are, the smaller are the samples.
  [[nodiscard]] std::shared_ptr<const Structure> structure(const Matrix& matrix, std::int64_t iterations = 0) const;

 private:
  friend class planning::OrderSearch;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Whether a plan is as fast as it was promised to be.
struct PlanHealth {
  double promised_s = 0;  ///< one product: as measured in trials, else as forecast; 0: nothing was promised
  double seconds = 0;  ///< one product, the mean over the last second of products that were looked at; 0: too few yet
  bool off = false;    ///< these differ by more than 15 %
  std::string line = {};  ///< says so, to the first who asks
};

/// Dot products of y = A·x with a vector w and with itself, summed in double whatever the plan's precision. Of complex
/// values wy is Σ conj(w[i])·y[i], which is the real number that conjugate gradients take where w is x and A Hermitian.
struct ProductDots {
  double wy = 0, yy = 0;
};
struct ComplexProductDots {
  std::complex<double> wy = 0;
  double yy = 0;
};

/// A strategy carried out: the converted blocks. Copies share them. docs/plan.md shows every call.
///
/// Threads: a call on the host runs on min(strategy().threads, omp_get_max_threads()) threads, asked at every call, so
/// that the limits of the caller hold (omp_set_num_threads, OMP_NUM_THREADS, threadpoolctl; one thread within a
/// parallel region of the caller's). The work is cut into strategy().threads parts when the plan is made: for equal
/// inputs the result of a call is the same to the last bit, whatever the limits, and it may differ in rounding between
/// plans for different numbers of threads.
///
/// Vectors: x and y must not overlap; that is checked, as their sizes are. With beta = 0, y is not read: it may hold
/// anything, NaN too. Values of A, x and y that are infinite or NaN go through as in any sum of products.
///
/// Thread safety: immutable but for assignment and update_values(); threads may share one and multiply at once (on a
/// GPU they take turns).
class Plan {
 public:
  /// Converts the blocks for the device that the strategy names ("host", "opencl:N", "cuda:N"). Error unavailable where
  /// that is not here; too_large where a format would not fit its memory; usage where the blocks do not cover every row
  /// once. Kernels that read CSR go on reading the matrix's arrays, which the plan then keeps alive (csr_view.hpp).
  Plan(const Matrix& matrix, Strategy strategy);

  /// y = alpha·A·x + beta·y; x has cols entries, y rows entries. Error usage for vectors of another size or precision,
  /// or that overlap.
  void apply(std::span<const double> x, std::span<double> y, double alpha = 1, double beta = 0) const;
  void apply(std::span<const float> x, std::span<float> y, float alpha = 1, float beta = 0) const;
  /// The same of a plan for complex values: precision_of<std::complex<double>>, or single.
  void apply(std::span<const std::complex<double>> x, std::span<std::complex<double>> y, std::complex<double> alpha = 1,
             std::complex<double> beta = 0) const;
  void apply(std::span<const std::complex<float>> x, std::span<std::complex<float>> y, std::complex<float> alpha = 1,
             std::complex<float> beta = 0) const;

  /// y = alpha·A·x + beta·y and the dot products w·y and y·y of the new y, as a solver takes them next. w has rows
  /// entries and may be x; none: x, where A is square. Kernels that write rows of y one after another, csr, csr-merge,
  /// sell and its variants, dia and bsr on one block of rows, take them while the rows are in the cache; every other
  /// plan in a pass behind the product. For equal inputs they are the same to the last bit in every call. Errors as
  /// apply(), and usage for a w of another size or that overlaps y.
  ProductDots apply_with_dots(std::span<const double> x, std::span<double> y, std::span<const double> w = {},
                              double alpha = 1, double beta = 0) const;
  ProductDots apply_with_dots(std::span<const float> x, std::span<float> y, std::span<const float> w = {},
                              float alpha = 1, float beta = 0) const;
  ComplexProductDots apply_with_dots(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                                     std::span<const std::complex<double>> w = {}, std::complex<double> alpha = 1,
                                     std::complex<double> beta = 0) const;
  ComplexProductDots apply_with_dots(std::span<const std::complex<float>> x, std::span<std::complex<float>> y,
                                     std::span<const std::complex<float>> w = {}, std::complex<float> alpha = 1,
                                     std::complex<float> beta = 0) const;

  /// y = alpha·Aᵀ·x + beta·y; x has rows entries, y cols entries. Nothing is transposed beforehand: every entry is read
  /// once and added to its place in y. With several threads each part adds to a piece of y of its own, in memory that
  /// the plan keeps for the next call: parts × cols values. A format without a transposed product of its own (see
  /// docs/plan.md) goes through the matrix's CSR, which the plan then keeps alive. Errors as apply(); unavailable on a
  /// GPU.
  void apply_transposed(std::span<const double> x, std::span<double> y, double alpha = 1, double beta = 0) const;
  void apply_transposed(std::span<const float> x, std::span<float> y, float alpha = 1, float beta = 0) const;
  void apply_transposed(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                        std::complex<double> alpha = 1, std::complex<double> beta = 0) const;
  void apply_transposed(std::span<const std::complex<float>> x, std::span<std::complex<float>> y,
                        std::complex<float> alpha = 1, std::complex<float> beta = 0) const;
  /// y = alpha·Aᴴ·x + beta·y: transposed, with conjugated values. Passes over the vectors are all that it adds.
  void apply_adjoint(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                     std::complex<double> alpha = 1, std::complex<double> beta = 0) const;
  void apply_adjoint(std::span<const std::complex<float>> x, std::span<std::complex<float>> y,
                     std::complex<float> alpha = 1, std::complex<float> beta = 0) const;

  /// y = Aᵀ·(A·x), also of complex values; x and y have cols entries. One pass over A where its form has one and that
  /// is faster than both products one after the other, which the first call measures in some products of each. Errors
  /// as apply_transposed().
  void apply_gram(std::span<const double> x, std::span<double> y) const;
  void apply_gram(std::span<const float> x, std::span<float> y) const;
  void apply_gram(std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
  void apply_gram(std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const;

  /// The same for several vectors side by side: Y = alpha·A·X + beta·Y. csr, csr-scalar, csr-merge, sell and its
  /// variants, dia and bsr read the matrix once for up to 16 vectors, in groups of 16, 8, 4, 2 and 1. Other formats,
  /// GPUs and complex values take one vector after the other. A block x by columns is copied to one by rows first, into
  /// memory that the plan keeps. Errors as apply(), and usage where the data of a block are too few for its vectors.
  void apply_block(const VectorBlock<const double>& x, const VectorBlock<double>& y, double alpha = 1,
                   double beta = 0) const;
  void apply_block(const VectorBlock<const float>& x, const VectorBlock<float>& y, float alpha = 1,
                   float beta = 0) const;
  void apply_block(const VectorBlock<const std::complex<double>>& x, const VectorBlock<std::complex<double>>& y,
                   std::complex<double> alpha = 1, std::complex<double> beta = 0) const;
  void apply_block(const VectorBlock<const std::complex<float>>& x, const VectorBlock<std::complex<float>>& y,
                   std::complex<float> alpha = 1, std::complex<float> beta = 0) const;
  /// Y = alpha·Aᵀ·X + beta·Y, one vector after the other.
  void apply_transposed_block(const VectorBlock<const double>& x, const VectorBlock<double>& y, double alpha = 1,
                              double beta = 0) const;
  void apply_transposed_block(const VectorBlock<const float>& x, const VectorBlock<float>& y, float alpha = 1,
                              float beta = 0) const;
  void apply_transposed_block(const VectorBlock<const std::complex<double>>& x,
                              const VectorBlock<std::complex<double>>& y, std::complex<double> alpha = 1,
                              std::complex<double> beta = 0) const;
  void apply_transposed_block(const VectorBlock<const std::complex<float>>& x,
                              const VectorBlock<std::complex<float>>& y, std::complex<float> alpha = 1,
                              std::complex<float> beta = 0) const;

  /// Powers: y = A·x, A²·x … one vector after the other, as many as y has entries for (y.size() / rows()), at most the
  /// powers that were planned where there were any, and any number of a plan that was asked for none. The matrix is
  /// square. For equal inputs the result is the same to the last bit on any number of threads, and within the rounding
  /// of products that of apply(), again and again. x is not written to and overlaps no y. Errors as apply()'s; usage
  /// where the matrix is not square, too few or too many powers are asked for.
  void apply_powers(std::span<const double> x, std::span<double> y) const;
  void apply_powers(std::span<const float> x, std::span<float> y) const;
  void apply_powers(std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
  void apply_powers(std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const;
  /// y = A^power·x alone, which keeps no other. A power of 0 copies x.
  void apply_power(std::span<const double> x, std::span<double> y, std::int64_t power) const;
  void apply_power(std::span<const float> x, std::span<float> y, std::int64_t power) const;
  void apply_power(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                   std::int64_t power) const;
  void apply_power(std::span<const std::complex<float>> x, std::span<std::complex<float>> y, std::int64_t power) const;
  /// y = c[0]·x + c[1]·A·x + c[2]·A²·x + …, with the powers kept nowhere; at least one coefficient.
  void apply_polynomial(std::span<const double> c, std::span<const double> x, std::span<double> y) const;
  void apply_polynomial(std::span<const float> c, std::span<const float> x, std::span<float> y) const;
  void apply_polynomial(std::span<const std::complex<double>> c, std::span<const std::complex<double>> x,
                        std::span<std::complex<double>> y) const;
  void apply_polynomial(std::span<const std::complex<float>> c, std::span<const std::complex<float>> x,
                        std::span<std::complex<float>> y) const;
  /// y = Σ c[j]·Tⱼ(B)·x with Chebyshev's polynomials Tⱼ and B = (2·A − (a + b)·I) / (b − a), which takes the interval
  /// [a, b] of eigenvalues to [−1, 1]. Error usage also where a is not below b.
  void apply_chebyshev(std::span<const double> c, double a, double b, std::span<const double> x,
                       std::span<double> y) const;
  void apply_chebyshev(std::span<const float> c, double a, double b, std::span<const float> x,
                       std::span<float> y) const;
  void apply_chebyshev(std::span<const std::complex<double>> c, double a, double b,
                       std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
  void apply_chebyshev(std::span<const std::complex<float>> c, double a, double b,
                       std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const;

  /// Takes the values of another matrix with the pattern of the one that the plan was made for: no planning and no
  /// analysis. Kernels that read CSR read the new matrix's arrays from now on; other formats write the new values where
  /// the old ones were, at the cost of one pass over the non-zeros. Copies of the plan keep the old values (where there
  /// are some, this one is converted anew). Error usage where the sizes or, checked with CsrCheck::everything, the
  /// pattern are others; with CsrCheck::sizes the pattern is the caller's word, and another one gives wrong products.
  /// Nobody may use this Plan meanwhile.
  void update_values(const Matrix& matrix, CsrCheck check = CsrCheck::everything);

  /// Whether a matrix has the pattern and the values that the plan was made of, by checksums over all of it; after
  /// update_values() its pattern alone is compared. One pass over the matrix. Error usage for a plan that took no
  /// checksum: for at most StrategyOptions::few_products of a matrix that it multiplies as it is.
  [[nodiscard]] bool is_of(const Matrix& matrix) const;
  /// Whether the plan took a checksum when it was made, so that is_of() has an answer.
  [[nodiscard]] bool has_checksum() const noexcept;

  [[nodiscard]] const Strategy& strategy() const noexcept;
  [[nodiscard]] std::int64_t rows() const noexcept;
  [[nodiscard]] std::int64_t cols() const noexcept;
  /// Bytes of the formats on the device; arrays shared with the matrix count.
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Seconds that the conversion took.
  [[nodiscard]] double conversion_seconds() const noexcept;
  /// What was tried; of a plan with trials in its own products, so far. Nothing where nothing was to be tried.
  [[nodiscard]] std::optional<TrialReport> trials() const;
  /// The kernel of each block that a product uses now: other than strategy()'s while trials go on in the plan's own
  /// products, and after them.
  [[nodiscard]] std::vector<std::string> kernels() const;
  /// Whether products of the plan's kind take as long as was promised. Of short ones a sample is looked at.
  [[nodiscard]] PlanHealth health() const;

  /// The strategy and a checksum of the matrix as JSON, not the converted blocks. Error failed where it cannot be
  /// written; usage after update_values(), since which the plan no longer knows that checksum.
  void save(const std::filesystem::path& file) const;
  /// Reads a saved plan and converts again. Error bad_input where the file is no plan, or one for another matrix;
  /// unavailable and too_large as above.
  [[nodiscard]] static Plan load(const std::filesystem::path& file, const Matrix& matrix);

 private:
  friend class planning::Runner;
  explicit Plan(std::shared_ptr<planning::Runner> runner) : runner_(std::move(runner)) {}
  std::shared_ptr<planning::Runner> runner_;
};

/// The plan of a strategy, with trials: strategy().trials tells what they gave, and strategy() is of what won. Two
/// formats are held at once, that of the best candidate so far and that of the one beside it, never more than half of
/// the device's memory; what won is not converted again. An interrupt or a stop ends the trials, and what was seen
/// counts. Errors as Plan's. Thread safety: safe from several threads at once.
[[nodiscard]] Plan try_out(const Matrix& matrix, Strategy strategy, const TrialOptions& options);

/// A real matrix with its values rounded to a smaller type, as floats on the same pattern. A plan for it sums in its
/// own precision and stores two or four bytes a value where that is faster (sell-compact): A·x is off by largest_error
/// · |A|·|x| besides the sums' own rounding. Error bad_input where a finite value is beyond the type's range, and for
/// complex values; usage for `given`.
struct RoundedMatrix {
  Matrix matrix;
  /// The most that a value changed, of itself: but for denormal numbers at most 2⁻²⁴ of single, 2⁻¹¹ of half, 2⁻⁸
  /// of bfloat16.
  double largest_error = 0;
};
[[nodiscard]] RoundedMatrix rounded_to(ValueStorage storage, const Matrix& matrix);

/// The fastest way to multiply the request's matrix on its device, ready to run: over the numbers of threads that are
/// calibrated and allowed, from what was observed of the matrix on this machine before, and with trials where they are
/// asked for. Few products are not worth a look: they are planned without a profile. Errors: those of Planner and Plan;
/// failed where the device was never calibrated; unavailable where nothing of that name is here. Thread safety: safe
/// from several threads at once; a device's models are fitted once and shared.
[[nodiscard]] Plan plan(const PlanRequest& request);

/// Checksum of sizes, pattern and values: what a saved plan is bound to. Thread safety: safe from several threads at
/// once.
[[nodiscard]] std::string matrix_checksum(const Matrix& matrix);

}  // namespace sparsecast
#pragma GCC visibility pop
