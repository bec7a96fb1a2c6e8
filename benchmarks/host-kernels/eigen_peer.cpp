#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <memory>

#include "peers.hpp"

namespace sparsecast::bench {

template <class Value>
NarrowCsr<Value>::NarrowCsr(const Matrix& matrix) : keep(matrix) {
  keep.visit([&](const auto& csr) {
    using Csr = std::decay_t<decltype(csr)>;
    if constexpr (std::is_same_v<typename Csr::Offset, std::int32_t> &&
                  std::is_same_v<typename Csr::Index, std::int32_t>) {
      pointers = csr.row_pointers;
      columns = csr.column_indices;
      if constexpr (std::is_same_v<std::decay_t<decltype(csr.values[0])>, Value>) {
        values = csr.values;
      } else {
        converted.resize(csr.values.size());
        std::ranges::transform(csr.values, converted.begin(), [](auto value) { return static_cast<Value>(value); });
        values = converted;
      }
    } else {
      throw std::runtime_error("the benchmark takes matrices with 32-bit indices");
    }
  });
}
template struct NarrowCsr<float>;
template struct NarrowCsr<double>;

template <class Value>
Contestant eigen_peer(const Task<Value>& task) {
  using Sparse = Eigen::Map<const Eigen::SparseMatrix<Value, Eigen::RowMajor, int>>;
  using Dense = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
  struct Product {
    explicit Product(const Task<Value>& task)
        : csr(task.matrix),
          a(task.matrix.rows(), task.matrix.cols(), static_cast<Eigen::Index>(csr.values.size()), csr.pointers.data(),
            csr.columns.data(), csr.values.data()) {
      if (task.vectors == 1) {
        x = Eigen::Map<const Vector>(task.x.data(), task.matrix.cols());
        y = Vector::Zero(task.matrix.rows());
      } else {
        many = Eigen::Map<const Dense>(task.x.data(), task.matrix.cols(), task.vectors);
        results = Dense::Zero(task.matrix.rows(), task.vectors);
      }
    }
    void multiply() {
      if (many.size() == 0) {
        y.noalias() = a * x;
      } else {
        results.noalias() = a * many;
      }
    }
    NarrowCsr<Value> csr;
    Sparse a;
    Vector x, y;
    Dense many, results;
  };
  auto product = std::make_shared<Product>(task);
  return {"eigen", product->csr.bytes(),
          [product, threads = task.threads](int times) {
            Eigen::setNbThreads(threads);
            const double start = now();
            for (int i = 0; i < times; ++i) product->multiply();
            return now() - start;
          },
          [product] { return static_cast<double>(product->y.sum() + product->results.sum()); }};
}
template Contestant eigen_peer(const Task<float>&);
template Contestant eigen_peer(const Task<double>&);

}  // namespace sparsecast::bench
