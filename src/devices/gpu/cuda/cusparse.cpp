#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "devices/gpu/cuda/api.hpp"
#include "devices/gpu/gpu_product.hpp"
#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/sell.hpp"

namespace sparsecast::hardware {
namespace {
// Declared from the cuSPARSE reference ("Generic API"); statuses are 0 for success. The numbers are compared with
// cusparse.h in tests/devices/cuda_test.cpp, where that is.
using Handle = struct cusparseContext*;
using MatrixDescriptor = struct cusparseSpMatDescr*;
using VectorDescriptor = struct cusparseDnVecDescr*;

struct CuSparse {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define CUSPARSE_FUNCTION(name, arguments) int(*name) arguments = nullptr;
#include "devices/gpu/cuda/cusparse_functions.def"
#undef CUSPARSE_FUNCTION
  /// From cuSPARSE 12.1 (CUDA 12.1) on; nullptr before.
  int (*cusparseCreateSlicedEll)(MatrixDescriptor*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                 std::int64_t, void*, void*, void*, int, int, int, int) = nullptr;
  bool complete = false;
};

CuSparse load_cusparse() {
  constexpr std::array names{"libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"};
  CuSparse api;
  void* library = open_cuda_library(names.data(), names.size());
  if (library == nullptr) return api;
  api.complete = true;
#define CUSPARSE_FUNCTION(name, arguments) api.complete = find_symbol(library, #name, api.name) && api.complete;
#include "devices/gpu/cuda/cusparse_functions.def"
#undef CUSPARSE_FUNCTION
  find_symbol(library, "cusparseCreateSlicedEll", api.cusparseCreateSlicedEll);
  return api;
}

constexpr int index_32 = cusparse_numbers::index_32, index_64 = cusparse_numbers::index_64,
              base_zero = cusparse_numbers::base_zero;
constexpr int slice_rows = 32;
constexpr int trials = 5;

void check(int status, std::string_view doing) {
  if (status == cusparse_numbers::allocation_failed)
    throw Error(ErrorCode::too_large, fmt::format("too large: cuSPARSE is out of memory while {}", doing));
  if (status == cusparse_numbers::not_supported)
    throw Error(ErrorCode::too_large,
                "too large: cuSPARSE has no product for row pointers of 64 bits with columns of 32");
  if (status != 0)
    throw Error(ErrorCode::failed, fmt::format("cuSPARSE error {} while {}", status, doing), {},
                "leave out the vendor- kernels; what was measured so far is kept");
}

// One prepared product; descriptors live as long as the steps that use them.
struct Call {
  Call(const CuSparse& functions, Handle library) : api(functions), handle(library) {}
  ~Call() {
    if (x != nullptr) api.cusparseDestroyDnVec(x);
    if (y != nullptr) api.cusparseDestroyDnVec(y);
    if (matrix != nullptr) api.cusparseDestroySpMat(matrix);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void run() const {
    check(api.cusparseSpMV(handle, 0, one(), matrix, x, zero(), y, type, algorithm, workspace), "running a product");
  }
  [[nodiscard]] std::size_t workspace_bytes() const {
    std::size_t bytes = 0;
    check(api.cusparseSpMV_bufferSize(handle, 0, one(), matrix, x, zero(), y, type, algorithm, &bytes),
          "preparing a product");
    return bytes;
  }

  // The factors of the product, of its own type.
  [[nodiscard]] const void* one() const { return single() ? static_cast<const void*>(&one_single) : &one_double; }
  [[nodiscard]] const void* zero() const { return single() ? static_cast<const void*>(&zero_single) : &zero_double; }
  [[nodiscard]] bool single() const { return type == cusparse_numbers::real_32; }

  const CuSparse& api;
  Handle handle;
  MatrixDescriptor matrix = nullptr;
  VectorDescriptor x = nullptr, y = nullptr;
  int type = 0, algorithm = 0;
  void* workspace = nullptr;
  float one_single = 1, zero_single = 0;
  double one_double = 1, zero_double = 0;
};

class CuSparseLibrary final : public VendorLibrary {
 public:
  CuSparseLibrary(const CuSparse& api, Handle handle) : api_(api), handle_(handle) {}
  ~CuSparseLibrary() override { api_.cusparseDestroy(handle_); }
  CuSparseLibrary(const CuSparseLibrary&) = delete;
  CuSparseLibrary& operator=(const CuSparseLibrary&) = delete;

  [[nodiscard]] std::vector<std::string> kernels() const override {
    std::vector<std::string> names{"vendor-csr", "vendor-coo"};
    if (api_.cusparseCreateSlicedEll != nullptr) names.emplace_back("vendor-sell");
    return names;
  }

  [[nodiscard]] std::int64_t format_bytes(const Structure& structure, std::string_view kernel,
                                          Precision precision) const override {
    const int value = value_bytes(precision);
    if (kernel == "vendor-csr") return formats::csr_bytes(structure, value);
    if (kernel == "vendor-coo") return formats::coo_bytes(structure, value);
    if (kernel == "vendor-sell" && api_.cusparseCreateSlicedEll != nullptr)
      return formats::sell_bytes(structure, slice_rows, 1, value);
    throw Error(ErrorCode::usage, fmt::format("cuSPARSE here has no kernel '{}'", kernel), {},
                "its kernels: vendor-csr, vendor-coo, vendor-sell (from CUDA 12.1 on)");
  }

  std::unique_ptr<Product> prepare(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                   std::string_view kernel, Precision precision) override {
    refuse_if_too_large(runtime, structure, kernel, format_bytes(structure, kernel, precision), precision, 1);
    return precision == Precision::single_ ? build<float>(runtime, matrix, kernel)
                                           : build<double>(runtime, matrix, kernel);
  }

 private:
  template <class Value>
  std::unique_ptr<Product> build(GpuRuntime& runtime, const Matrix& matrix, std::string_view kernel) const {
    const double begun = base::now_s();
    constexpr std::int64_t value_size = sizeof(Value);
    constexpr Precision precision = value_size == 4 ? Precision::single_ : Precision::double_;
    GpuPlan plan;
    auto x = runtime.allocate(matrix.cols() * value_size), y = runtime.allocate(matrix.rows() * value_size);
    if (matrix.nonzeros() == 0) {
      // cuSPARSE takes no matrix without entries; its product is zero.
      GpuKernel& zero = runtime.kernel("set_zero", precision, 0);
      plan.steps.emplace_back([&runtime, &zero, rows = matrix.rows(), result = y.get()](std::int64_t) {
        const std::array<GpuArgument, 2> arguments{rows, result};
        runtime.launch(zero, std::clamp<std::int64_t>(rows / gpu_group_size + 1, 1, runtime.most_groups()), arguments);
      });
      return product_of_plan(runtime, std::move(plan), std::move(x), std::move(y), {matrix.rows(), matrix.cols()},
                             precision, base::now_s() - begun);
    }
    const auto upload = [&](const auto* data, std::int64_t count) {
      const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof *data);
      plan.arrays.push_back(runtime.allocate(bytes));
      runtime.upload(*plan.arrays.back(), data, bytes);
      plan.bytes += bytes;
      return runtime.address(*plan.arrays.back());
    };
    const auto upload_array = [&](const auto& array) {
      return upload(array.data(), static_cast<std::int64_t>(array.size()));
    };

    auto call = std::make_shared<Call>(api_, handle_);
    call->type = value_size == 4 ? cusparse_numbers::real_32 : cusparse_numbers::real_64;
    std::vector<int> algorithms;
    const int threads = base::thread_count(0);
    if (kernel == "vendor-csr") {
      algorithms = {cusparse_numbers::csr_1, cusparse_numbers::csr_2};
      formats::to_csr<Value>(matrix, threads).visit([&](const auto& csr) {
        using View = std::decay_t<decltype(csr)>;
        void* pointers = upload(csr.row_pointers, csr.rows + 1);
        void* columns = upload(csr.column_indices, matrix.nonzeros());
        void* values = upload(csr.values, matrix.nonzeros());
        check(api_.cusparseCreateCsr(&call->matrix, matrix.rows(), matrix.cols(), matrix.nonzeros(), pointers, columns,
                                     values, sizeof(typename View::Offset) == 4 ? index_32 : index_64,
                                     sizeof(typename View::Index) == 4 ? index_32 : index_64, base_zero, call->type),
              "describing the matrix");
      });
    } else if (kernel == "vendor-coo") {
      algorithms = {cusparse_numbers::coo_1, cusparse_numbers::coo_2};
      const auto coo = formats::to_coo<Value, std::int32_t>(matrix, threads);
      void* rows = upload_array(coo.row_indices);
      void* columns = upload_array(coo.column_indices);
      void* values = upload_array(coo.values);
      check(api_.cusparseCreateCoo(&call->matrix, matrix.rows(), matrix.cols(), matrix.nonzeros(), rows, columns,
                                   values, index_32, base_zero, call->type),
            "describing the matrix");
    } else {
      algorithms = {cusparse_numbers::sell_1};
      const auto sell = formats::to_sell<Value, std::int32_t>(matrix, slice_rows, 1, threads);
      const auto slots = static_cast<std::int64_t>(sell.values.size());
      if (!Matrix::fits32(slots))
        throw Error(ErrorCode::too_large,
                    fmt::format("too large: vendor-sell counts slots with 32 bits and needs {}", slots));
      const Array<std::int32_t> pointers = [&] {
        Array<std::int32_t> narrow(sell.slice_pointers.size());
        std::ranges::transform(sell.slice_pointers, narrow.begin(),
                               [](std::int64_t p) { return static_cast<std::int32_t>(p); });
        return narrow;
      }();
      void* slices = upload_array(pointers);
      void* columns = upload_array(sell.column_indices);
      void* values = upload_array(sell.values);
      check(
          api_.cusparseCreateSlicedEll(&call->matrix, matrix.rows(), matrix.cols(), matrix.nonzeros(), slots,
                                       slice_rows, slices, columns, values, index_32, index_32, base_zero, call->type),
          "describing the matrix");
    }
    check(api_.cusparseCreateDnVec(&call->x, matrix.cols(), runtime.address(*x), call->type), "describing x");
    check(api_.cusparseCreateDnVec(&call->y, matrix.rows(), runtime.address(*y), call->type), "describing y");
    const double preprocess_s = base::now_s() - begun;
    choose_algorithm(runtime, *call, algorithms, plan);
    plan.steps.emplace_back([call](std::int64_t) { call->run(); });
    return product_of_plan(runtime, std::move(plan), std::move(x), std::move(y), {matrix.rows(), matrix.cols()},
                           precision, preprocess_s);
  }

  // A yardstick must be the vendor's best: each algorithm of the format is tried, the fastest stays. The trial is not
  // counted as preprocessing.
  static void choose_algorithm(GpuRuntime& runtime, Call& call, const std::vector<int>& algorithms, GpuPlan& plan) {
    double best_s = 0;
    int best = algorithms.front();
    void* best_workspace = nullptr;
    for (const int algorithm : algorithms) {
      call.algorithm = algorithm;
      const auto bytes = static_cast<std::int64_t>(call.workspace_bytes());
      plan.arrays.push_back(runtime.allocate(bytes));
      plan.bytes += bytes;
      call.workspace = runtime.address(*plan.arrays.back());
      call.run();
      runtime.start_timer();
      for (int i = 0; i < trials; ++i) call.run();
      const double taken = runtime.stop_timer();
      if (best_workspace == nullptr || taken < best_s) {
        best_s = taken;
        best = algorithm;
        best_workspace = call.workspace;
      }
    }
    call.algorithm = best;
    call.workspace = best_workspace;
  }

  const CuSparse& api_;
  Handle handle_;
};
}  // namespace

std::unique_ptr<VendorLibrary> open_cusparse(CuStream stream) {
  static const CuSparse api = load_cusparse();
  Handle handle = nullptr;
  if (!api.complete || api.cusparseCreate(&handle) != 0) return nullptr;
  if (api.cusparseSetStream(handle, stream) != 0) {
    api.cusparseDestroy(handle);
    return nullptr;
  }
  return std::make_unique<CuSparseLibrary>(api, handle);
}
}  // namespace sparsecast::hardware
