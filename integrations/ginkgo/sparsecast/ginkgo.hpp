#pragma once
// Ginkgo's CSR with the strategy that is forecast to be fastest for the matrix on a GPU, in the place of `automatical`,
// which looks at the longest row and the number of non-zeros.
//
//   auto exec = gko::CudaExecutor::create(0, gko::OmpExecutor::create());
//   auto csr = gko::read<gko::matrix::Csr<double, int>>(file, exec);
//   csr->set_strategy(sparsecast::ginkgo_strategy(*csr, "nvidia-h100"));
//
// Candidates are Ginkgo's classical, merge_path and load_balance, and sparselib (cuSPARSE, rocSPARSE). Written against
// the public headers of Ginkgo 1.5 and later, whose strategies have these names; find_package(Ginkgo) gives them.
//
// Thread safety: the function may be called from several threads for different matrices.

#include <cstdint>
#include <ginkgo/ginkgo.hpp>
#include <memory>
#include <span>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/ginkgo_strategies.hpp>
#include <sparsecast/matrix.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace sparsecast {
namespace ginkgo {
/// The matrix in Ginkgo's arrays on the host, in order; `held` keeps them.
template <class Value, class Index>
Matrix matrix_of(std::shared_ptr<const gko::matrix::Csr<Value, Index>> held) {
  const auto rows = held->get_size()[0], cols = held->get_size()[1], entries = held->get_num_stored_elements();
  CsrView view;
  view.rows = static_cast<std::int64_t>(rows);
  view.cols = static_cast<std::int64_t>(cols);
  view.row_pointers = std::span<const Index>(held->get_const_row_ptrs(), rows + 1);
  view.column_indices = std::span<const Index>(held->get_const_col_idxs(), entries);
  view.values = std::span<const Value>(held->get_const_values(), entries);
  view.owner = std::move(held);
  return Matrix(view, "matrix");
}

template <class Csr, class Executor>
std::shared_ptr<typename Csr::strategy_type> balanced_on(const std::shared_ptr<const gko::Executor>& executor) {
  const auto own = std::dynamic_pointer_cast<const Executor>(executor);
  return own ? std::make_shared<typename Csr::load_balance>(own) : nullptr;
}
}  // namespace ginkgo

/// The strategy for products with `csr` on `device`: a GPU of the catalogue (`sparsecast devices --catalogue`), a
/// description's file or a profile's name. The matrix is copied to the host, where it is looked at; values are real or
/// complex, in single or double precision. On an executor of a host, whose products have no strategies, classical.
/// Error as predict(): of a device that is not known, and of duplicate entries.
template <class Value, class Index>
std::shared_ptr<typename gko::matrix::Csr<Value, Index>::strategy_type> ginkgo_strategy(
    const gko::matrix::Csr<Value, Index>& csr, const std::string& device) {
  using Csr = gko::matrix::Csr<Value, Index>;
  const std::shared_ptr<const gko::Executor> executor = csr.get_executor();
  auto host = Csr::create(executor->get_master());
  host->copy_from(&csr);
  host->sort_by_column_index();
  const std::string_view best = ginkgo::strategy_for(ginkgo::matrix_of<Value, Index>(std::move(host)), device);
  if (best == "merge_path") return std::make_shared<typename Csr::merge_path>();
  if (best == "sparselib") return std::make_shared<typename Csr::sparselib>();
  if (best == "load_balance") {
    if (auto made = ginkgo::balanced_on<Csr, gko::CudaExecutor>(executor)) return made;
    if (auto made = ginkgo::balanced_on<Csr, gko::HipExecutor>(executor)) return made;
    if (auto made = ginkgo::balanced_on<Csr, gko::DpcppExecutor>(executor)) return made;
  }
  return std::make_shared<typename Csr::classical>();
}

}  // namespace sparsecast
