// librsb's product (recursive sparse blocks), tuned for the task: "rsb" on the whole matrix, "rsb-sym" on its lower
// triangle where the values are symmetric. Debian's librsb-dev, found when this is configured.

#include "peers.hpp"

#if BENCH_RSB
#include <rsb.h>

#include <cstdio>
#include <memory>
#include <numeric>

namespace sparsecast::bench {
namespace {

// A choice of blocks is looked for so long, in so many turns: what a user who multiplies often would wait.
constexpr double tuning_s = 0.5;
constexpr int tuning_turns = 2;

template <class Value>
struct RsbProduct {
  explicit RsbProduct(const Task<Value>& task)
      : csr(task.matrix), x(task.x.begin(), task.x.end()), vectors(task.vectors) {
    y.resize(task.rows() * static_cast<std::size_t>(vectors));
  }
  RsbProduct(const RsbProduct&) = delete;
  RsbProduct& operator=(const RsbProduct&) = delete;
  ~RsbProduct() { rsb_mtx_free(matrix); }

  rsb_err_t create(bool triangle) {
    std::vector<int> pointers{0}, columns;
    std::vector<Value> values;
    for (std::size_t row = 0; row + 1 < csr.pointers.size(); ++row) {
      for (int k = csr.pointers[row]; k < csr.pointers[row + 1]; ++k) {
        if (triangle && csr.columns[k] > static_cast<int>(row)) continue;
        columns.push_back(csr.columns[k]);
        values.push_back(csr.values[k]);
      }
      pointers.push_back(static_cast<int>(columns.size()));
    }
    constexpr rsb_type_t type = sizeof(Value) == 8 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT;
    const rsb_flags_t flags = triangle ? RSB_FLAG_LOWER_SYMMETRIC : RSB_FLAG_NOFLAGS;
    rsb_err_t status = RSB_ERR_NO_ERROR;
    matrix = rsb_mtx_alloc_from_csr_const(values.data(), pointers.data(), columns.data(),
                                          static_cast<int>(columns.size()), type, static_cast<int>(csr.keep.rows()),
                                          static_cast<int>(csr.keep.cols()), 1, 1, flags, &status);
    return status;
  }
  rsb_err_t tune() {
    const rsb_flags_t order = vectors == 1 ? RSB_FLAG_WANT_COLUMN_MAJOR_ORDER : RSB_FLAG_WANT_ROW_MAJOR_ORDER;
    return rsb_tune_spmm(&matrix, nullptr, nullptr, tuning_turns, tuning_s, RSB_TRANSPOSITION_N, &one, nullptr, vectors,
                         order, x.data(), vectors == 1 ? csr.keep.cols() : vectors, &zero, y.data(),
                         vectors == 1 ? csr.keep.rows() : vectors);
  }
  rsb_err_t multiply() {
    if (vectors == 1) return rsb_spmv(RSB_TRANSPOSITION_N, &one, matrix, x.data(), 1, &zero, y.data(), 1);
    return rsb_spmm(RSB_TRANSPOSITION_N, &one, matrix, vectors, RSB_FLAG_WANT_ROW_MAJOR_ORDER, x.data(), vectors, &zero,
                    y.data(), vectors);
  }
  [[nodiscard]] std::int64_t bytes() const {
    std::size_t total = 0;
    rsb_mtx_get_info(matrix, RSB_MIF_TOTAL_SIZE__TO__SIZE_T, &total);
    return static_cast<std::int64_t>(total);
  }

  NarrowCsr<Value> csr;
  Array<Value> x, y;
  int vectors;
  Value one = 1, zero = 0;
  rsb_mtx_t* matrix = nullptr;
};

}  // namespace

template <class Value>
std::vector<Contestant> rsb_peers(const Task<Value>& task) {
  std::vector<Contestant> peers;
  static const rsb_err_t ready = rsb_lib_init(RSB_NULL_INIT_OPTIONS);
  const rsb_int_t threads = task.threads;
  if (ready != RSB_ERR_NO_ERROR || rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads) != RSB_ERR_NO_ERROR) {
    std::fprintf(stderr, "without librsb: it does not start\n");
    return peers;
  }
  const auto add = [&](const char* name, bool triangle) {
    auto product = std::make_shared<RsbProduct<Value>>(task);
    rsb_err_t status = product->create(triangle);
    if (status == RSB_ERR_NO_ERROR) status = product->tune();
    if (status == RSB_ERR_NO_ERROR) status = product->multiply();
    if (status != RSB_ERR_NO_ERROR) {
      std::fprintf(stderr, "without %s: status %d\n", name, static_cast<int>(status));
      return;
    }
    peers.push_back({name, product->bytes(),
                     [product](int times) {
                       const double start = now();
                       for (int i = 0; i < times; ++i) product->multiply();
                       return now() - start;
                     },
                     [product] { return std::accumulate(product->y.begin(), product->y.end(), 0.0); }});
  };
  add("rsb", false);
  if (task.symmetric) add("rsb-sym", true);
  return peers;
}

}  // namespace sparsecast::bench

#else
namespace sparsecast::bench {
template <class Value>
std::vector<Contestant> rsb_peers(const Task<Value>&) {
  return {};
}
}  // namespace sparsecast::bench
#endif

template std::vector<sparsecast::bench::Contestant> sparsecast::bench::rsb_peers(const Task<float>&);
template std::vector<sparsecast::bench::Contestant> sparsecast::bench::rsb_peers(const Task<double>&);
