#pragma once
// Tables of measured times with the features of the matrices, as other people publish them: text separated by tabs or
// commas, plain or gzip, one product per row, the columns named in the first line.
//
//   matrix rows cols nonzeros        required (cols may be missing: square); times may tell the matrix alone, by name
//   row_mean row_std row_skew bandwidth_scaled neighbours cross_row_similarity   features; a missing one is 0 for all
//   row_min row_q1 row_median row_q3 row_max row_variance   of row lengths, instead of row_std and row_skew
//   kernel seconds repeat            a measured time
//   repetitions storage_bytes        products that were waited for together (empty: each alone); bytes of the format
//   threads precision vectors        how a time was made: one number of threads, single or double, one vector
//   device machine                   where: one
//   twin_of                          which matrix this artificial one imitates
//
// The order is free, other columns are ignored.

#include <sparsecast/profile.hpp>

namespace sparsecast::calibration {
struct FeatureRecord {
  Structure structure;    ///< sizes and features; nothing that only a matrix has
  bool by_name = false;   ///< of the structure the name alone is known: a file, or ss:GROUP/NAME
  std::int64_t line = 0;  ///< of the table
  std::string twin_of;
  std::string kernel;  ///< empty where the table has no times
  double seconds = 0;
  double repetitions = 0;  ///< products that were waited for together; 0: not told
  double storage = 0;      ///< bytes of the format, or its entries; 0: not told
  int threads = 0;         ///< of the product; 0: not told
  std::string precision;   ///< "single" or "double"; empty: not told
  std::string machine;     ///< as the table names it; empty: not told
};

/// What formats store tells of a matrix: ELL its longest row, SELL-P the slots of slices of 64 rows. For the other rows
/// of the same matrix too.
void use_storage(std::vector<FeatureRecord>& records);
/// How many products a table's times are of, in the median; 0 where it does not tell.
double products_together(const std::vector<FeatureRecord>& records);
/// The age of the libraries of NVIDIA's devices as FitOptions has it: Ginkgo's benchmark waited for each product then,
/// and has the strategies of CSR beside each other from 2018 on. Empty: today's, or nothing tells.
std::string libraries_of(const std::vector<FeatureRecord>& records);

/// All rows. Error bad_input with file, line and column (the how-many-th field) for the first bad one, and for the
/// first of another machine, other threads or another precision than the one before; kernel and seconds are required
/// where `with_times`, and are so many seconds each (a unit of nanoseconds: 1e-9).
std::vector<FeatureRecord> read_feature_table(const std::filesystem::path& file, bool with_times, double unit_s = 1);

/// Whether no product takes that time: less than a clock tells or than memory that no machine has (a petabyte a second)
/// takes for its entries; or so long that it is rather in another unit: a second, and ten microseconds for every row
/// and entry beyond.
[[nodiscard]] bool is_no_time_of(const FeatureRecord& record);

/// A profile of those times under that name: the median over repeats of a matrix and kernel is one record.
/// A matrix is its name and its features together.
Profile profile_from_records(const std::vector<FeatureRecord>& records, const std::string& name,
                             DeviceProperties properties, Precision precision);
}  // namespace sparsecast::calibration
