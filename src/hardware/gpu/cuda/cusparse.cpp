#include "hardware/gpu/cuda/cusparse.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/kernels.hpp"
#include "formats/sell.hpp"
#include "formats/structured/bsr.hpp"
#include "hardware/gpu/cuda/api.hpp"
#include "hardware/gpu/gpu_plan.hpp"
#include "hardware/gpu/gpu_product.hpp"

namespace sparsecast::hardware {
namespace {
// Declared from the cuSPARSE reference ("Generic API"); statuses are 0 for success. The numbers are compared with
// cusparse.h in tests/hardware/cuda_test.cpp, where that is.
using Handle = struct cusparseContext*;
using MatrixDescriptor = struct cusparseSpMatDescr*;
using VectorDescriptor = struct cusparseDnVecDescr*;

struct CuSparse {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define CUSPARSE_FUNCTION(name, arguments) int(*name) arguments = nullptr;
#include "hardware/gpu/cuda/cusparse_functions.def"
#undef CUSPARSE_FUNCTION
  // From some version of CUDA 12 on; nullptr before.
  int (*cusparseCreateSlicedEll)(MatrixDescriptor*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                 std::int64_t, void*, void*, void*, int, int, int, int) = nullptr;
  int (*cusparseCreateBsr)(MatrixDescriptor*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                           void*, void*, void*, int, int, int, int, int) = nullptr;
  int (*cusparseSpMV_preprocess)(Handle, int, const void*, MatrixDescriptor, VectorDescriptor, const void*,
                                 VectorDescriptor, int, int, void*) = nullptr;
  bool complete = false;
};

CuSparse load_cusparse() {
  constexpr std::array names{"libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"};
  CuSparse api;
  void* library = open_cuda_library(names.data(), names.size());
  if (library == nullptr) return api;
  api.complete = true;
#define CUSPARSE_FUNCTION(name, arguments) api.complete = find_symbol(library, #name, api.name) && api.complete;
#include "hardware/gpu/cuda/cusparse_functions.def"
#undef CUSPARSE_FUNCTION
  find_symbol(library, "cusparseCreateSlicedEll", api.cusparseCreateSlicedEll);
  find_symbol(library, "cusparseCreateBsr", api.cusparseCreateBsr);
  find_symbol(library, "cusparseSpMV_preprocess", api.cusparseSpMV_preprocess);
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
    throw Error(ErrorCode::too_large, "too large: this cuSPARSE has no product of such blocks or row pointers");
  if (status != 0)
    throw Error(ErrorCode::failed, fmt::format("cuSPARSE error {} while {}", status, doing), {},
                "omit the vendor- kernels; what was measured so far is kept");
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
  void preprocess() const {
    if (preprocessed)
      check(api.cusparseSpMV_preprocess(handle, 0, one(), matrix, x, zero(), y, type, algorithm, workspace),
            "preprocessing a matrix");
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
  bool preprocessed = false;
  void* workspace = nullptr;
  float one_single = 1, zero_single = 0;
  double one_double = 1, zero_double = 0;
};

// Makes a format's arrays, uploads them and describes them to the library. Each returns the algorithms of its product.
template <class Value>
struct Description {
  GpuRuntime& runtime;
  const Matrix& matrix;
  GpuPlan& plan;
  Call& call;
  int threads;

  void* upload(const auto* data, std::int64_t count) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof *data);
    plan.arrays.push_back(runtime.allocate(bytes));
    runtime.upload(*plan.arrays.back(), data, bytes);
    plan.bytes += bytes;
    return runtime.address(*plan.arrays.back());
  }
  void* upload(const auto& array) { return upload(array.data(), static_cast<std::int64_t>(array.size())); }
  static void described(int status) { check(status, "describing the matrix"); }
  static void refuse_beyond_32_bits(std::string_view kernel, std::int64_t slots) {
    if (!Matrix::fits32(slots))
      throw Error(ErrorCode::too_large, fmt::format("too large: {} counts with 32 bits and needs {}", kernel, slots));
  }

  std::vector<int> csr() {
    formats::to_csr<Value>(matrix, threads).visit([&](const auto& csr) {
      using View = std::decay_t<decltype(csr)>;
      if (sizeof(typename View::Offset) != sizeof(typename View::Index))  // it would say so on stderr
        throw Error(ErrorCode::too_large, "too large: cuSPARSE has no CSR of row pointers wider than its columns");
      void* pointers = upload(csr.row_pointers, csr.rows + 1);
      void* columns = upload(csr.column_indices, matrix.nonzeros());
      void* values = upload(csr.values, matrix.nonzeros());
      described(call.api.cusparseCreateCsr(&call.matrix, matrix.rows(), matrix.cols(), matrix.nonzeros(), pointers,
                                           columns, values, sizeof(typename View::Offset) == 4 ? index_32 : index_64,
                                           sizeof(typename View::Index) == 4 ? index_32 : index_64, base_zero,
                                           call.type));
    });
    return {cusparse_numbers::csr_1, cusparse_numbers::csr_2};
  }

  std::vector<int> coo() {
    const auto coo = formats::to_coo<Value, std::int32_t>(matrix, threads);
    void* rows = upload(coo.row_indices);
    void* columns = upload(coo.column_indices);
    void* values = upload(coo.values);
    described(call.api.cusparseCreateCoo(&call.matrix, matrix.rows(), matrix.cols(), matrix.nonzeros(), rows, columns,
                                         values, index_32, base_zero, call.type));
    return {cusparse_numbers::coo_1, cusparse_numbers::coo_2};
  }

  std::vector<int> sell() {
    const auto sell = formats::to_sell<Value, std::int32_t>(matrix, slice_rows, 1, threads);
    const auto slots = static_cast<std::int64_t>(sell.values.size());
    refuse_beyond_32_bits("vendor-sell", slots);
    void* slices = upload(std::vector<std::int32_t>(sell.slice_pointers.begin(), sell.slice_pointers.end()));
    void* columns = upload(sell.column_indices);
    void* values = upload(sell.values);
    described(call.api.cusparseCreateSlicedEll(&call.matrix, matrix.rows(), matrix.cols(), matrix.nonzeros(), slots,
                                               slice_rows, slices, columns, values, index_32, index_32, base_zero,
                                               call.type));
    return {cusparse_numbers::sell_1};
  }

  std::vector<int> bsr(std::int64_t rows, std::int64_t cols, std::int64_t side) {
    const auto blocks = formats::to_aligned_blocks<Value>(matrix, side);
    const auto count = static_cast<std::int64_t>(blocks.columns.size());
    refuse_beyond_32_bits("vendor-bsr", count * side * side);
    void* pointers = upload(blocks.pointers);
    void* columns = upload(blocks.columns);
    void* values = upload(blocks.values);
    described(call.api.cusparseCreateBsr(&call.matrix, rows / side, cols / side, count, side, side, pointers, columns,
                                         values, index_32, index_32, base_zero, call.type,
                                         cusparse_numbers::order_row));
    return {cusparse_numbers::bsr_1};
  }
};

class CuSparseLibrary final : public VendorLibrary {
 public:
  CuSparseLibrary(const CuSparse& api, Handle handle) : api_(api), handle_(handle) {}
  ~CuSparseLibrary() override { api_.cusparseDestroy(handle_); }
  CuSparseLibrary(const CuSparseLibrary&) = delete;
  CuSparseLibrary& operator=(const CuSparseLibrary&) = delete;

  [[nodiscard]] std::vector<std::string> kernels() const override {
    std::vector<std::string> names{"vendor-csr", "vendor-coo"};
    if (api_.cusparseSpMV_preprocess != nullptr) names.emplace_back("vendor-csr-preprocessed");
    if (api_.cusparseCreateSlicedEll != nullptr) names.emplace_back("vendor-sell");
    if (api_.cusparseCreateBsr != nullptr) names.emplace_back("vendor-bsr");
    return names;
  }

  [[nodiscard]] std::int64_t format_bytes(const Structure& structure, std::string_view kernel,
                                          Precision precision) const override {
    const std::vector<std::string> known = kernels();
    if (std::ranges::find(known, kernel) == known.end())
      throw Error(ErrorCode::usage, fmt::format("cuSPARSE here has no kernel '{}'", kernel), {},
                  fmt::format("its kernels: {}", fmt::join(known, ", ")));
    const int value = value_bytes(precision);
    if (kernel == "vendor-coo") return formats::coo_bytes(structure, value);
    if (kernel == "vendor-sell") return formats::sell_bytes(structure, slice_rows, 1, value);
    if (kernel == "vendor-bsr") return formats::bsr_bytes(structure, value);
    return formats::csr_bytes(structure, value);
  }

  std::unique_ptr<Product> prepare(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                   std::string_view kernel, Precision precision) override {
    if (const std::string reason = formats::refusal_of(kernel, structure); !reason.empty())
      throw Error(ErrorCode::failed, fmt::format("{} cannot be used for this matrix: {}", kernel, reason));
    refuse_if_too_large(runtime, structure, kernel, format_bytes(structure, kernel, precision), precision, 1);
    return precision == Precision::single_ ? build<float>(runtime, matrix, structure, kernel)
                                           : build<double>(runtime, matrix, structure, kernel);
  }

 private:
  template <class Value>
  std::unique_ptr<Product> build(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                 std::string_view kernel) const {
    const double begun = base::now_s();
    constexpr std::int64_t value_size = sizeof(Value);
    constexpr Precision precision = value_size == 4 ? Precision::single_ : Precision::double_;
    GpuPlan plan;
    // Vectors of whole blocks; what is beyond the columns is zero.
    const std::int64_t b =
        kernel == "vendor-bsr" ? std::max({1, structure.dense_blocks.rows, structure.dense_blocks.cols}) : 1;
    const std::int64_t rows = (matrix.rows() + b - 1) / b * b, cols = (matrix.cols() + b - 1) / b * b;
    auto x = runtime.allocate(cols * value_size), y = runtime.allocate(rows * value_size);
    if (b > 1) runtime.upload(*x, std::vector<Value>(static_cast<std::size_t>(cols)).data(), cols * value_size);
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
    auto call = std::make_shared<Call>(api_, handle_);
    call->type = value_size == 4 ? cusparse_numbers::real_32 : cusparse_numbers::real_64;
    Description<Value> describe{runtime, matrix, plan, *call, base::thread_count(0)};
    call->preprocessed = kernel == "vendor-csr-preprocessed";
    const std::vector<int> algorithms = kernel == "vendor-coo"    ? describe.coo()
                                        : kernel == "vendor-sell" ? describe.sell()
                                        : kernel == "vendor-bsr"  ? describe.bsr(rows, cols, b)
                                                                  : describe.csr();
    check(api_.cusparseCreateDnVec(&call->x, cols, runtime.address(*x), call->type), "describing x");
    check(api_.cusparseCreateDnVec(&call->y, rows, runtime.address(*y), call->type), "describing y");
    const double converted_s = base::now_s() - begun;
    const double preprocess_s = converted_s + choose_algorithm(runtime, *call, algorithms, plan);
    plan.steps.emplace_back([call](std::int64_t) { call->run(); });
    return product_of_plan(runtime, std::move(plan), std::move(x), std::move(y), {matrix.rows(), matrix.cols()},
                           precision, preprocess_s);
  }

  // A yardstick must be the vendor's best: each algorithm of the format is tried, the fastest stays. Returns the
  // seconds of its own preprocessing; the trial is not counted.
  static double choose_algorithm(GpuRuntime& runtime, Call& call, const std::vector<int>& algorithms, GpuPlan& plan) {
    const auto timed = [&](auto&& what) {
      runtime.start_timer();
      what();
      return runtime.stop_timer();
    };
    double best_s = std::numeric_limits<double>::infinity();
    int best = 0;
    void* best_workspace = nullptr;
    for (const int algorithm : algorithms) {
      call.algorithm = algorithm;
      const auto bytes = static_cast<std::int64_t>(call.workspace_bytes());
      plan.arrays.push_back(runtime.allocate(bytes));
      plan.bytes += bytes;
      call.workspace = runtime.address(*plan.arrays.back());
      call.preprocess();
      call.run();
      const double taken = timed([&] {
        for (int i = 0; i < trials; ++i) call.run();
      });
      if (taken < best_s) best_s = taken, best = algorithm, best_workspace = call.workspace;
    }
    call.algorithm = best;
    call.workspace = best_workspace;
    return call.preprocessed ? timed([&] { call.preprocess(); }) : 0;  // a matrix is prepared for the last asked for
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
