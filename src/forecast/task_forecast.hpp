#pragma once
// Forecasts of what a profile has no times of: several vectors at once, and the transposed product. They are made from
// the forecast of y = A·x on the host, by what changes in its terms:
//
// - several vectors, kernels that read the matrix once: the matrix is streamed once and x and y for every vector, each
//   entry multiplies as many registers as the vectors fill;
// - several vectors, other kernels: so many products, and every vector copied out of the block and back;
// - transposed: every entry is added to its place in y, which is read and written; several threads have pieces of y of
//   their own, which are set to 0 and summed.
//
// Nothing here is fitted: the intervals are wider for it.

#include <sparsecast/product.hpp>

#include "forecast/physical/core_costs.hpp"
#include "forecast/record_set.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
class TaskForecast {
 public:
  /// Error unavailable for a task that devices other than the host do not have.
  TaskForecast(const Profile& profile, const RecordSet& records, const ProductKind& task);

  /// That of y = A·x turned into that of the task; nullopt where the kernel has no such product. y = A·x itself stays
  /// as it is.
  [[nodiscard]] std::optional<Forecast> of(Forecast plain, const Structure& structure) const;
  /// All of them, fastest first.
  [[nodiscard]] std::vector<Forecast> of(std::vector<Forecast> plain, const Structure& structure) const;

 private:
  struct Amounts;
  [[nodiscard]] double stream_seconds(double bytes) const;
  void block(Amounts& amounts, const Structure& structure, bool reads_once) const;
  void transpose(Amounts& amounts, const Structure& structure, const formats::KernelInfo& kernel) const;

  const Profile& profile_;
  RecordSet records_;
  ProductKind task_;
  CoreCosts core_;
};
}  // namespace sparsecast::forecast
