#pragma once
// A product on a GPU in numbers: what a kernel does, what of the matrix and of the description it depends on, and the
// three counts whose prices make up its time. scripts/machine-model/gpus.py computes the same when it learns.

#include <array>
#include <sparsecast/device.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/terms.hpp>
#include <string>
#include <vector>

namespace sparsecast::forecast {
/// Who multiplies a row: a thread, the threads of a warp, or whoever a search over the non-zeros gives it to.
enum class GpuWork { threads, warps, search, merge };
enum class GpuLayout { csr, ell, sell, hyb, coo };
enum class GpuLibrary { other, ginkgo, cusparse, rocsparse };
enum class GpuGeneration { kepler, volta, amd };
inline constexpr std::size_t gpu_generations = 3;

/// What a kernel does.
struct GpuKernel {
  std::string name;
  GpuWork work = GpuWork::warps;
  GpuLayout layout = GpuLayout::csr;
  GpuLibrary library = GpuLibrary::other;
  bool shares = false;                    ///< a row of CSR has one thread, or few where rows are long in the mean
  double number = 0;                      ///< its place in the table of kernels, as trees see it
  std::vector<std::string> vendors = {};  ///< whose devices run it; empty: all
  double last_capability = 0;             ///< NVIDIA: the newest compute capability that has it; 0: all
};

/// The rules of a version of Ginkgo: automatic CSR balances loads where a row is longer, or non-zeros are more than
/// this and is classical elsewhere; ELL gives rows of wide matrices to several threads.
struct GpuStrategy {
  double row = 0, all = 0;
  bool wide = true;
  bool operator==(const GpuStrategy&) const = default;
};

/// A description in the numbers that counts are over.
struct GpuNumbers {
  explicit GpuNumbers(const DeviceProperties& properties);

  double units = 1, clock = 1, bandwidth = 1, cache = 1, warp = 32;
  double sector = 32;  ///< bytes that the memory is asked for at least
  /// Which of the measured ones it is nearest to: NVIDIA's before and since additions of doubles in memory (compute
  /// capability 6.0), AMD's.
  GpuGeneration generation = GpuGeneration::volta;
};

inline constexpr std::size_t gpu_counts = 3, gpu_features = 28;
inline constexpr std::array<Term, gpu_counts + 1> gpu_terms{Term::launch, Term::stream, Term::longest_row, Term::rows};

/// One matrix as one kernel of one device meets it.
struct GpuProduct {
  GpuProduct(const Structure& structure, Precision precision, const GpuKernel& does, const GpuNumbers& numbers,
             const GpuStrategy& strategy);

  std::string kernel;                     ///< that runs: the one asked for, or what automatic CSR chooses
  bool by_rule = false;                   ///< automatic CSR chose it, by rules that another version may not have
  double stored = 0, moved = 0;           ///< bytes of the format; with x and y, without what no thread reads
  double roof = 0;                        ///< seconds that non-zeros which no cache holds take at the bandwidth
  std::array<double, gpu_counts> counts;  ///< seconds at a price of 1: stream, steps along a row, threads
  /// Ratios, and how a start of `floor` seconds and the counts share a time of `base` seconds.
  [[nodiscard]] std::array<double, gpu_features> features(double floor, double base) const;
  [[nodiscard]] double nonzeros() const { return nonzeros_; }

 private:
  double rows_ = 1, cols_ = 1, nonzeros_ = 1, mean_ = 1, longest_ = 1, cv_ = 0, slots_ = 1, split_ = 0, lanes_ = 1,
         steps_ = 1, threads_ = 1, entry_ = 12;
  std::array<double, 4> quartiles_{};  ///< log of the row lengths at 0, ¼, ½ and ¾ of the rows
  GpuWork work_;
  GpuLayout layout_;
  double number_;
  GpuNumbers numbers_;
};
}  // namespace sparsecast::forecast
