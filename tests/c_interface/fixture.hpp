#pragma once
// What programs of C++ that see both sides of the C interface share: a machine that was measured, handles that are
// freed, matrices that are lent.

#include <gtest/gtest.h>
#include <sparsecast.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <sparsecast/generate.hpp>
#include <sparsecast/threads.hpp>
#include <vector>

#include "interface/measured_host.hpp"
#include "support/command.hpp"

namespace sparsecast::c_interface {
class CInterface : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    home = std::make_unique<test::TemporaryFolder>();
    setenv("SPARSECAST_HOME", home->path().c_str(), 1);
    test::store_measured_host(home->path(), default_threads());
  }
  static void TearDownTestSuite() {
    unsetenv("SPARSECAST_HOME");
    home.reset();
  }
  inline static std::unique_ptr<test::TemporaryFolder> home;
};

struct Handles {
  sparsecast_matrix* matrix = nullptr;
  sparsecast_plan* plan = nullptr;
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    sparsecast_plan_free(plan);
    sparsecast_matrix_free(matrix);
  }
};

#define ASSERT_OK(call) ASSERT_EQ(call, SPARSECAST_OK) << sparsecast_error_text()

// A matrix whose plan is wanted in several blocks where that pays.
inline MatrixSpec long_rows() { return {.kind = "longrow", .row_length = 6, .rows = 3000, .seed = 3}; }

inline void lend(const Matrix& matrix, Handles& handles) {
  sparsecast_csr csr{};
  csr.struct_size = sizeof csr;
  csr.rows = matrix.rows(), csr.cols = matrix.cols(), csr.nonzeros = matrix.nonzeros();
  matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& spans) {
    csr.row_pointers = spans.row_pointers.data(), csr.column_indices = spans.column_indices.data();
    csr.values = spans.values.data();
    csr.row_pointer_type = sizeof(Offset) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.column_index_type = sizeof(Index) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.value_type = sizeof(Value) == 4 ? SPARSECAST_FLOAT : SPARSECAST_DOUBLE;
  });
  ASSERT_OK(sparsecast_matrix_borrow(&csr, &handles.matrix));
}

inline std::vector<double> some_vector(std::int64_t entries) {
  std::vector<double> x(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  return x;
}
}  // namespace sparsecast::c_interface
