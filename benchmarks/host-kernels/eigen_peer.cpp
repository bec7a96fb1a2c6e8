#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <memory>

#include "peers.hpp"

namespace sparsecast::bench {

Contestant eigen_peer(const Matrix& matrix, std::span<const double> x, int threads) {
  using Sparse = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;
  struct Product {
    Matrix keep;
    Sparse a;
    Eigen::VectorXd x, y;
  };
  using Narrow = CsrSpans<double, std::int32_t, std::int32_t>;
  const Narrow csr = matrix.visit([](const auto& any) -> Narrow {
    if constexpr (std::is_same_v<std::decay_t<decltype(any)>, Narrow>) {
      return any;
    } else {
      throw std::runtime_error("the benchmark takes matrices with 32-bit indices");
    }
  });
  auto product = std::make_shared<Product>(Product{
      matrix,
      Sparse(csr.rows, csr.cols, static_cast<Eigen::Index>(csr.values.size()), csr.row_pointers.data(),
             csr.column_indices.data(), csr.values.data()),
      Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())), Eigen::VectorXd(csr.rows)});
  return {"eigen", matrix.bytes(),
          [product, threads](int times) {
            Eigen::setNbThreads(threads);
            const double start = now();
            for (int i = 0; i < times; ++i) product->y.noalias() = product->a * product->x;
            return now() - start;
          },
          [product] { return product->y.sum(); }};
}

}  // namespace sparsecast::bench
