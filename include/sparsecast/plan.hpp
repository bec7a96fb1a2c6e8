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
class Runner;       // carries out a strategy; not part of the interface
class OrderSearch;  // used by reorder.hpp; not part of the interface
}  // namespace planning

/// A block of rows and its kernel: strips first_strip … last_strip (counted from 1, as in the paper), which are rows
/// first_row … last_row (counted from 0); both ends are included.
struct PlannedBlock {
  std::int64_t first_strip = 1, last_strip = 1;
  std::int64_t first_row = 0, last_row = -1;
  std::string kernel;       ///< name of the kernel, as in kernel_table()
  bool reordered = false;   ///< true: rows are sorted by length within windows of 1024
  double seconds = 0;       ///< forecast time of a product with the block
  double conversion_s = 0;  ///< forecast time of the conversion from CSR
  /// true: the formula of the model that was asked for does not reach these rows (Forecast::beyond); `seconds` is a
  /// guess.
  bool extrapolated = false;
};

/// One kernel for the whole matrix.
struct SingleKernel {
  std::string kernel;                     ///< name of the kernel, as in kernel_table()
  double seconds = 0;                     ///< forecast time of one product
  double conversion_s = 0;                ///< forecast time of the conversion from CSR
  std::optional<double> measured_s = {};  ///< measured time of one product, if it was measured beside the plan
  std::string status = {};                ///< of that measurement: ok, or why it failed; empty: not measured
  double low_s = 0, high_s = 0;           ///< 90 % interval of the forecast; 0: the model gives none
  std::int64_t bytes = 0;                 ///< size of the stored format; 0: not known
};

/// What multiplies by Aᵀ in a plan for A and Aᵀ in turns.
enum class TransposeStorage {
  symmetric,    ///< the same as for A, because Aᵀ is A
  shared,       ///< the storage of A, or the matrix's own arrays if that storage has no transposed product
  second_form,  ///< A, stored a second time in the format of another kernel
  transpose,    ///< Aᵀ, stored beside A
};
/// As documents write it. Thread safety: safe from several threads at once.
[[nodiscard]] std::string_view to_string(TransposeStorage storage);

/// How a plan for A and Aᵀ in turns multiplies by Aᵀ; how it multiplies by A is in Strategy::blocks.
struct PlannedTranspose {
  TransposeStorage storage = TransposeStorage::shared;
  std::vector<PlannedBlock> blocks = {};  ///< blocks stored for Aᵀ alone, by their own rows; empty: none
  int threads = 0;
  double seconds = 0;                             ///< time of one product with Aᵀ; 0: neither measured nor forecast
  double beside_s = 0;                            ///< measured time of y = A·x in turns with it; 0: not measured
  double conversion_s = 0;                        ///< time to convert its blocks and to make Aᵀ
  double normal_share = 1, transposed_share = 1;  ///< how often A and Aᵀ multiply, as requested
  std::string reason = {};                        ///< why this storage was chosen
};

/// How to multiply one matrix on one device: what Planner found and Plan carries out.
struct Strategy {
  std::vector<PlannedBlock> blocks;   ///< blocks in the order of rows; they cover every row once
  double predicted_s = 0;             ///< forecast time of one product; at most best_single.seconds if iterations is 0
  double conversion_s = 0;            ///< time to convert all blocks from CSR
  std::vector<SingleKernel> singles;  ///< kernels for the whole matrix, the one that finishes first at the front
  SingleKernel best_single;

  /// The best cut into two or more blocks that was considered, whether the plan uses it or not. Empty if the rows are
  /// alike throughout. gain: expected share of the best single kernel's time that the cut saves, with a 90 % interval.
  std::vector<PlannedBlock> best_cut;
  double gain = 0, gain_low = 0, gain_high = 0;
  bool cut = false;    ///< true: the plan uses best_cut
  std::string reason;  ///< why the plan uses best_cut, or does not

  std::int64_t strips = 0, strip_rows = 0;
  std::int64_t iterations = 0;  ///< number of products requested; 0: rank by one product
  /// Number of products that pay back the conversion, compared with plain csr; 0: it pays from the first one on, −1: it
  /// never pays, −2: not known, as where the kernel was named and nothing was forecast.
  std::int64_t break_even = 0;
  double planning_s = 0;                      ///< time from the matrix in memory to the strategy
  std::optional<TrialReport> trials = {};     ///< trials, if any were requested; the plan's times are then measured
  std::optional<PowersStrategy> powers = {};  ///< powers of the matrix, if they were requested
  std::string device;
  Precision precision = Precision::double_;
  int threads = 0;                                 ///< host threads; 0 on other devices
  std::int64_t vectors = 1;                        ///< number of vectors of the product that the times are for
  bool transposed = false;                         ///< true: the times are for the product with Aᵀ
  std::optional<PlannedTranspose> transpose = {};  ///< how Aᵀ is multiplied, in a plan for A and Aᵀ in turns
};

/// Makes the strategy of one kernel for the whole matrix on the host. It needs no profile and forecasts nothing.
/// `threads`: number of threads; 0: default_threads(). Error usage for a kernel that the host does not have. Thread
/// safety: safe from several threads at once.
[[nodiscard]] Strategy one_kernel(const Matrix& matrix, const std::string& kernel,
                                  Precision precision = Precision::double_, int threads = 0);

/// Finds strategies on one device. The constructor fits the models and plans once to warm up. After that, a call of
/// strategy() takes as long as some products of a large matrix. For a small one it takes as long as some tens of
/// products, to find the structure of the matrix. Thread safety: threads may share one and call it at once.
class Planner {
 public:
  /// `threads`: host threads, 0: default_threads(); ignored for other devices. `notice`: as in FitOptions. `model`: a
  /// name of model_names(); "best" and "sparsecast" are the library's own model. The papers' models ("guo", …) forecast
  /// every block, as their authors did, and the planner follows them wherever they promise a gain; planning then takes
  /// a fraction of a second. Fits are kept in $SPARSECAST_HOME, so only the first Planner of a profile takes seconds to
  /// construct. Error usage for an unknown model; failed if the profile has no records for this number of threads and
  /// precision (for single precision: none in double either).
  Planner(const Profile& profile, Precision precision = Precision::double_, int threads = 0,
          const FitNotice& notice = {}, const std::string& model = "best");
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  /// Finds the strategy for a matrix. Error usage for options out of range; failed if no kernel can be forecast for the
  /// matrix.
  [[nodiscard]] Strategy strategy(const Matrix& matrix, const StrategyOptions& options = {}) const;
  /// Finds what strategy() needs to know about a matrix, for planners of the same device and precision. `iterations`:
  /// number of products that the plan is for, 0: any number; with fewer products, the samples are smaller.
  [[nodiscard]] std::shared_ptr<const Structure> structure(const Matrix& matrix, std::int64_t iterations = 0) const;

 private:
  friend class planning::OrderSearch;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Whether a plan is as fast as expected.
struct PlanHealth {
  double promised_s = 0;  ///< expected time of one product: measured in trials, otherwise forecast; 0: none
  double seconds = 0;     ///< mean time of one product over the last second of timed products; 0: too few so far
  bool off = false;       ///< true: the two differ by more than 15 %
  std::string line = {};  ///< a sentence that says so, for the first caller only
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

/// The converted blocks of a strategy, ready to multiply. Copies share the blocks. docs/plan.md shows every call.
///
/// Threads: a call on the host runs on min(strategy().threads, omp_get_max_threads()) threads. The number is read at
/// every call, so the caller's limits apply (omp_set_num_threads, OMP_NUM_THREADS, threadpoolctl; one thread within a
/// parallel region of the caller). The work is divided into strategy().threads parts when the plan is made. For equal
/// inputs the result of a call is therefore the same to the last bit, whatever the limits. Results may differ in
/// rounding between plans for different numbers of threads.
///
/// Vectors: x and y must not overlap. Overlap and sizes are checked. With beta = 0, y is not read, so it may hold
/// anything, even NaN. Infinite values and NaN in A, x and y propagate as in any sum of products.
///
/// Thread safety: only assignment and update_values() change a plan. Threads may share a plan and multiply at once (on
/// a GPU they take turns).
class Plan {
 public:
  /// Converts the blocks for the strategy's device ("host", "opencl:N", "cuda:N"). Kernels that read CSR keep reading
  /// the matrix's arrays, and the plan keeps these alive (csr_view.hpp). Error unavailable if the device does not
  /// exist; too_large if a format exceeds its memory; usage unless blocks cover every row once, or over 1024 threads.
  Plan(const Matrix& matrix, Strategy strategy);

  /// Computes y = alpha·A·x + beta·y. x has cols entries, y rows entries. Error usage if the vectors have another size
  /// or precision, or overlap.
  void apply(std::span<const double> x, std::span<double> y, double alpha = 1, double beta = 0) const;
  void apply(std::span<const float> x, std::span<float> y, float alpha = 1, float beta = 0) const;
  /// The same of a plan for complex values: precision_of<std::complex<double>>, or single.
  void apply(std::span<const std::complex<double>> x, std::span<std::complex<double>> y, std::complex<double> alpha = 1,
             std::complex<double> beta = 0) const;
  void apply(std::span<const std::complex<float>> x, std::span<std::complex<float>> y, std::complex<float> alpha = 1,
             std::complex<float> beta = 0) const;

  /// Computes y = alpha·A·x + beta·y and returns the dot products w·y and y·y of the new y. w has rows entries and may
  /// be x; without w, x takes its place, where A is square. Kernels that write the rows of y in order (csr, csr-merge,
  /// sell and its variants, dia and bsr on one block of rows) take the dot products while the rows are in the cache;
  /// every other plan takes them in a pass after the product. For equal inputs every call gives the same bits. Errors
  /// as apply(), and usage for a w of another size or one that overlaps y.
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

  /// Computes y = alpha·Aᵀ·x + beta·y. x has rows entries, y cols entries. The matrix is not transposed beforehand:
  /// each entry is read once, and its product is added to its place in y. With several threads, each part adds to its
  /// own copy of y, in memory that the plan keeps for the next call (parts × cols values). A format without a
  /// transposed product (see docs/plan.md) uses the matrix's CSR, which the plan then keeps alive. Errors as apply();
  /// unavailable on a GPU.
  void apply_transposed(std::span<const double> x, std::span<double> y, double alpha = 1, double beta = 0) const;
  void apply_transposed(std::span<const float> x, std::span<float> y, float alpha = 1, float beta = 0) const;
  void apply_transposed(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                        std::complex<double> alpha = 1, std::complex<double> beta = 0) const;
  void apply_transposed(std::span<const std::complex<float>> x, std::span<std::complex<float>> y,
                        std::complex<float> alpha = 1, std::complex<float> beta = 0) const;
  /// Computes y = alpha·Aᴴ·x + beta·y, where Aᴴ is the conjugate transpose. Compared with apply_transposed(), it only
  /// adds passes over the vectors.
  void apply_adjoint(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                     std::complex<double> alpha = 1, std::complex<double> beta = 0) const;
  void apply_adjoint(std::span<const std::complex<float>> x, std::span<std::complex<float>> y,
                     std::complex<float> alpha = 1, std::complex<float> beta = 0) const;

  /// Computes y = Aᵀ·(A·x), also for complex values. x and y have cols entries. If the stored format can do so in one
  /// pass over A, the first call measures, in some products of each, whether that is faster than two products; the
  /// faster way is used. Errors as apply_transposed().
  void apply_gram(std::span<const double> x, std::span<double> y) const;
  void apply_gram(std::span<const float> x, std::span<float> y) const;
  void apply_gram(std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
  void apply_gram(std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const;

  /// Computes Y = alpha·A·X + beta·Y for a block of vectors. csr, csr-scalar, csr-merge, sell and its variants, dia and
  /// bsr read the matrix once for up to 16 vectors, in groups of 16, 8, 4, 2 and 1. Other formats, GPUs and complex
  /// values take one vector after the other. If X is stored by columns, it is first copied to a block by rows, in
  /// memory that the plan keeps. Errors as apply(), and usage if a block has too few data for its vectors.
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

  /// Computes the powers A·x, A²·x, … and stores them in y one after the other: as many as y has entries for (y.size()
  /// / rows()). If powers were planned, their number is the limit; otherwise any number is allowed. The matrix must be
  /// square. For equal inputs the result is the same to the last bit on any number of threads. It equals repeated calls
  /// of apply() up to the rounding of products. x is not written to and must not overlap y. Errors as apply(); usage if
  /// the matrix is not square, or if y has room for no power, for a part of one, or for too many.
  void apply_powers(std::span<const double> x, std::span<double> y) const;
  void apply_powers(std::span<const float> x, std::span<float> y) const;
  void apply_powers(std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
  void apply_powers(std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const;
  /// Computes y = A^power·x without storing the lower powers. A power of 0 copies x; the highest is 1,048,576.
  void apply_power(std::span<const double> x, std::span<double> y, std::int64_t power) const;
  void apply_power(std::span<const float> x, std::span<float> y, std::int64_t power) const;
  void apply_power(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                   std::int64_t power) const;
  void apply_power(std::span<const std::complex<float>> x, std::span<std::complex<float>> y, std::int64_t power) const;
  /// Computes y = c[0]·x + c[1]·A·x + c[2]·A²·x + … without storing the powers. c has at least one coefficient.
  void apply_polynomial(std::span<const double> c, std::span<const double> x, std::span<double> y) const;
  void apply_polynomial(std::span<const float> c, std::span<const float> x, std::span<float> y) const;
  void apply_polynomial(std::span<const std::complex<double>> c, std::span<const std::complex<double>> x,
                        std::span<std::complex<double>> y) const;
  void apply_polynomial(std::span<const std::complex<float>> c, std::span<const std::complex<float>> x,
                        std::span<std::complex<float>> y) const;
  /// Computes y = Σ c[j]·Tⱼ(B)·x with Chebyshev's polynomials Tⱼ and B = (2·A − (a + b)·I) / (b − a), which maps the
  /// interval [a, b] of eigenvalues to [−1, 1]. Error usage also unless a < b and both are finite.
  void apply_chebyshev(std::span<const double> c, double a, double b, std::span<const double> x,
                       std::span<double> y) const;
  void apply_chebyshev(std::span<const float> c, double a, double b, std::span<const float> x,
                       std::span<float> y) const;
  void apply_chebyshev(std::span<const std::complex<double>> c, double a, double b,
                       std::span<const std::complex<double>> x, std::span<std::complex<double>> y) const;
  void apply_chebyshev(std::span<const std::complex<float>> c, double a, double b,
                       std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const;

  /// Takes the values of another matrix that has the pattern of the planned one. Nothing is planned or analysed again.
  /// Kernels that read CSR read the new matrix's arrays from now on. Other formats overwrite the old values, in one
  /// pass over the non-zeros. Copies of the plan keep the old values; if there are copies, this plan is converted
  /// again. Error usage if the sizes or the pattern differ. The pattern is compared only with CsrCheck::everything;
  /// with CsrCheck::sizes the caller guarantees it, and a different pattern gives wrong products. No other thread may
  /// use this Plan during the call.
  void update_values(const Matrix& matrix, CsrCheck check = CsrCheck::everything);

  /// True if a matrix has the pattern and the values of the planned one, by checksums over the whole matrix, in one
  /// pass. After update_values() only the pattern is compared. Error usage if the plan took no checksum: a plan for at
  /// most StrategyOptions::few_products products that multiplies the matrix as it is takes none.
  [[nodiscard]] bool is_of(const Matrix& matrix) const;
  /// True if the plan took a checksum when it was made, which is_of() needs.
  [[nodiscard]] bool has_checksum() const noexcept;

  [[nodiscard]] const Strategy& strategy() const noexcept;
  [[nodiscard]] std::int64_t rows() const noexcept;
  [[nodiscard]] std::int64_t cols() const noexcept;
  /// Size of the formats on the device in bytes, including arrays that are shared with the matrix.
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Measured time of the conversion in seconds.
  [[nodiscard]] double conversion_seconds() const noexcept;
  /// What was tried. In a plan that tries kernels in its own products: what was tried so far. Empty if no trials were
  /// requested.
  [[nodiscard]] std::optional<TrialReport> trials() const;
  /// The kernels that a product uses now, one per block. They may differ from those of strategy() during trials in the
  /// plan's own products and after them.
  [[nodiscard]] std::vector<std::string> kernels() const;
  /// Whether products of the kind that was planned take as long as expected. Only a sample of short products is timed.
  [[nodiscard]] PlanHealth health() const;

  /// Writes the strategy and a checksum of the matrix as JSON, without the converted blocks. Error failed if the file
  /// cannot be written; usage after update_values(), because the plan no longer knows the checksum then.
  void save(const std::filesystem::path& file) const;
  /// Reads a saved plan and converts the matrix again. Error bad_input if the file is not a plan, or is one for another
  /// matrix; unavailable and too_large as in the constructor.
  [[nodiscard]] static Plan load(const std::filesystem::path& file, const Matrix& matrix);

 private:
  friend class planning::Runner;
  explicit Plan(std::shared_ptr<planning::Runner> runner) : runner_(std::move(runner)) {}
  std::shared_ptr<planning::Runner> runner_;
};

/// Makes the plan of a strategy after measuring candidates. strategy() of the plan describes the winner, and
/// strategy().trials the results. Two formats are held at once, that of the best candidate so far and that of its
/// competitor, in at most half of the device's memory. The winner is not converted again. An interrupt or a stop ends
/// the trials, and the results so far count. Errors as Plan's. Thread safety: safe from several threads at once.
[[nodiscard]] Plan try_out(const Matrix& matrix, Strategy strategy, const TrialOptions& options);

/// A real matrix whose values were rounded to a smaller type, stored as floats on the same pattern. A plan for it sums
/// in its own precision, and stores two or four bytes per value where that is faster (sell-compact). Rounding changes
/// A·x by at most largest_error · |A|·|x|, besides the rounding of the sums. Error bad_input if a finite value is
/// beyond the range of the type, and for complex values; usage for `given`.
struct RoundedMatrix {
  Matrix matrix;
  /// Largest relative change of a value: except for denormal numbers at most 2⁻²⁴ for single, 2⁻¹¹ for half and 2⁻⁸ for
  /// bfloat16.
  double largest_error = 0;
};
[[nodiscard]] RoundedMatrix rounded_to(ValueStorage storage, const Matrix& matrix);

/// Finds the fastest way to multiply the request's matrix on its device, and prepares it. The search covers the numbers
/// of threads that are calibrated and allowed. It uses what was observed of the matrix on this machine before, and runs
/// trials if they were requested. For few products no analysis pays, so these are planned without a profile. Errors:
/// those of Planner and Plan; failed if the device was never calibrated; unavailable if nothing of that name exists.
/// Thread safety: safe from several threads at once; a device's models are fitted once and shared.
[[nodiscard]] Plan plan(const PlanRequest& request);

/// Computes the checksum of sizes, pattern and values by which a saved plan recognises its matrix. Thread safety: safe
/// from several threads at once.
[[nodiscard]] std::string matrix_checksum(const Matrix& matrix);

}  // namespace sparsecast
#pragma GCC visibility pop
