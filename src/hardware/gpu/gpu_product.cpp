#include "hardware/gpu/gpu_product.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/team.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/ell.hpp"
#include "formats/gpu/row_tiles.hpp"
#include "formats/hyb.hpp"
#include "formats/jad.hpp"
#include "formats/kernels.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"
#include "formats/sell.hpp"
#include "formats/sell_compact.hpp"
#include "hardware/gpu/gpu_kernels.hpp"
#include "hardware/gpu/gpu_plan.hpp"

namespace sparsecast::hardware {
namespace {
using formats::gpu_tile_items;
static_assert(gpu_group_size == formats::gpu_group_threads, "the counts of work speak of these groups");
// SELL: a slice is a warp.
constexpr int slice_rows = formats::gpu_sell.slice_rows, sort_rows = formats::gpu_sell.sort_rows;
// Largest share of the device's memory that one product may take: the driver and other programs need some too.
constexpr double usable_share = 0.9;

std::string bytes_text(std::int64_t bytes) { return base::format_bytes(static_cast<double>(bytes)); }

constexpr std::int64_t parts(std::int64_t total, std::int64_t part) { return formats::parts_of(total, part); }

std::string_view stored_function(formats::StoredValues kind) {
  switch (kind) {
    case formats::StoredValues::one: return "sell_compact_one";
    case formats::StoredValues::sixteen:
    case formats::StoredValues::codes: return "sell_compact_codes";
    case formats::StoredValues::single: return "sell_compact_single";
    default: return "sell_compact_plain";
  }
}

// Converts, uploads and notes the launches of one product in Value.
template <class Value>
class Builder {
 public:
  Builder(GpuRuntime& runtime, const Matrix& matrix, std::int64_t vectors, const GpuLaunchLimits& limits)
      : runtime_(runtime),
        matrix_(matrix),
        vectors_(vectors),
        threads_(base::thread_count(0)),
        most_groups_(limits.most_groups > 0 ? std::min(limits.most_groups, runtime.most_groups())
                                            : runtime.most_groups()),
        parallel_groups_(std::int64_t{std::max(1, runtime.properties().compute_units)} * limits.groups_per_unit),
        x_(runtime.allocate(matrix.cols() * vectors * value_size)),
        y_(runtime.allocate(matrix.rows() * vectors * value_size)) {}

  void csr(std::string_view function) {
    const GpuFunction& described = gpu_function(function);
    const int threads_per_row =
        described.lanes_name.empty() ? 1 : runtime_.properties().warp_size / described.lanes_divisor;
    upload_csr([&](const GpuBuffer* pointers, const GpuBuffer* columns, const GpuBuffer* values, int offset_bits) {
      step(function, offset_bits, groups(matrix_.rows(), gpu_group_size / threads_per_row),
           {matrix_.rows(), pointers, columns, values, x_.get(), y_.get()});
    });
  }

  void csr_stream() {
    plan_.blocks = true;
    const std::int64_t rows = matrix_.rows(), of_group = formats::gpu_stream_rows(rows, matrix_.nonzeros());
    upload_csr([&](const GpuBuffer* pointers, const GpuBuffer* columns, const GpuBuffer* values, int offset_bits) {
      GpuKernel& one = runtime_.kernel("csr_stream", precision, offset_bits);
      GpuKernel& several = runtime_.kernel("csr_stream_vectors", precision, offset_bits);
      const auto grid = [rows, most = most_groups_](std::int64_t each) {
        return std::clamp<std::int64_t>(parts(rows, each), 1, most);
      };
      plan_.steps.emplace_back([&runtime = runtime_, &one, &several, grid, rows, of_group,
                                nonzeros = matrix_.nonzeros(), pointers, columns, values, x = x_.get(),
                                y = y_.get()](std::int64_t vectors) {
        if (vectors == 1)
          return runtime.launch(one, grid(of_group),
                                GpuArguments{rows, nonzeros, of_group, pointers, columns, values, x, y});
        for (std::int64_t first = 0; first < vectors; first += gpu_group_size) {
          const std::int64_t across = std::min<std::int64_t>(vectors - first, gpu_group_size);
          runtime.launch(several, grid(gpu_group_size / across),
                         GpuArguments{rows, vectors, first, across, pointers, columns, values, x, y});
        }
      });
    });
  }

  void csr_merge() {
    const std::int64_t tiles = parts(matrix_.rows() + matrix_.nonzeros(), gpu_tile_items);
    Array<std::int32_t> tile_rows(static_cast<std::size_t>(tiles) + 1);
    upload_csr([&](const GpuBuffer* pointers, const GpuBuffer* columns, const GpuBuffer* values, int offset_bits) {
      matrix_.visit_pattern([&](const auto& csr) {
#pragma omp parallel for num_threads(base::team_of(threads_)) schedule(static)
        for (std::int64_t tile = 0; tile <= tiles; ++tile)
          tile_rows[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(
              formats::merge_path_search(csr.row_pointers.data(), csr.rows,
                                         std::min(tile * gpu_tile_items, csr.rows + matrix_.nonzeros()))
                  .row);
      });
      const formats::GpuCut cut = cut_tiles(tiles);
      with_carries("csr_merge", offset_bits, cut.groups,
                   {matrix_.rows(), matrix_.nonzeros(), cut.tiles_per_group, upload(tile_rows), pointers, columns,
                    values, x_.get(), y_.get()});
    });
  }

  void csr_tiles() {
    upload_csr([&](const GpuBuffer* pointers, const GpuBuffer* columns, const GpuBuffer* values, int offset_bits) {
      matrix_.visit_pattern([&](const auto& csr) {
        const auto launch = [&]<class Offset>(const formats::RowTiles<Offset>& tiles) {
          const auto count = static_cast<std::int64_t>(tiles.rows.size()) - 1;
          const GpuBuffer* rows = upload(tiles.rows.data(), count + 1);
          const GpuBuffer* starts = upload(tiles.starts.data(), count + 1);
          const GpuBuffer* parts = reserve_scratch(count * value_size);
          step("csr_tiles", offset_bits, groups(count, 1),
               {count, rows, starts, pointers, columns, values, x_.get(), y_.get(), parts, reserve_zeros(count)});
        };
        if (offset_bits == 64) {
          launch(formats::row_tiles<std::int64_t>(csr.row_pointers.data(), csr.rows));
        } else {
          launch(formats::row_tiles<std::int32_t>(csr.row_pointers.data(), csr.rows));
        }
      });
    });
  }

  void ell() { add(formats::to_ell<Value, std::int32_t>(matrix_, threads_)); }

  void coo() {
    step("set_zero", 0, groups(matrix_.rows(), gpu_group_size), {matrix_.rows(), y_.get()});
    add(formats::to_coo<Value, std::int32_t>(matrix_, threads_));
  }

  void add(const formats::Ell<Value, std::int32_t>& ell) {
    step(formats::ell_format, 0, groups(ell.rows, gpu_group_size),
         {ell.rows, ell.width, upload(ell.column_indices), upload(ell.values), x_.get(), y_.get()});
  }

  void add(const formats::Coo<Value, std::int32_t>& coo) {
    const auto nonzeros = static_cast<std::int64_t>(coo.values.size());
    const formats::GpuCut cut = cut_tiles(parts(nonzeros, gpu_tile_items));
    with_carries("coo", 0, cut.groups,
                 {nonzeros, cut.tiles_per_group, upload(coo.row_indices), upload(coo.column_indices),
                  upload(coo.values), x_.get(), y_.get()});
  }

  void hyb() {
    const auto hyb = formats::to_hyb<Value, std::int32_t>(matrix_, threads_);
    // At K = 0 the ELL kernel only writes the zeros that COO adds to.
    add(hyb.regular);
    if (!hyb.overflow.values.empty()) add(hyb.overflow);
  }

  void jad() {
    const auto jad = formats::to_jad<Value, std::int32_t>(matrix_, threads_);
    step(formats::jad_format, 0, groups(jad.rows, gpu_group_size),
         {jad.rows, jad.diagonals(), upload(jad.diagonal_pointers), upload(jad.permutation), upload(jad.column_indices),
          upload(jad.values), x_.get(), y_.get()});
  }

  void sell() {
    const auto sell = formats::to_sell<Value, std::int32_t>(matrix_, slice_rows, sort_rows, threads_);
    step(formats::sell_format, 0, groups(sell.rows, gpu_group_size),
         {sell.rows, std::int64_t{slice_rows}, upload(sell.slice_pointers), upload(sell.permutation),
          upload(sell.column_indices), upload(sell.values), x_.get(), y_.get()});
  }

  void sell_compact() {
    using Compact = formats::SellCompact<Value, slice_rows>;
    const Compact sell = formats::to_sell_compact<Value, slice_rows>(matrix_, threads_);
    step(stored_function(sell.kind), 0, groups(sell.rows, gpu_group_size),
         {sell.rows, std::int64_t{slice_rows}, Compact::window_rows / slice_rows, upload(sell.slice_pointers),
          upload(sell.permutation), upload(sell.bases), upload(sell.shifts), upload(sell.near), upload(sell.far),
          upload(sell.table), upload(sell.values), x_.get(), y_.get()});
  }

  std::unique_ptr<Product> finish(double begun) {
    plan_.rebinds = true;
    return product_of_plan(runtime_, std::move(plan_), std::move(x_), std::move(y_),
                           {matrix_.rows(), matrix_.cols(), vectors_}, precision,
                           base::now_s() - begun - (runtime_.loading_seconds() - loading_before_));
  }

 private:
  using GpuArguments = std::vector<GpuArgument>;
  static constexpr std::int64_t value_size = sizeof(Value);
  static constexpr Precision precision = sizeof(Value) == 4 ? Precision::single_ : Precision::double_;

  [[nodiscard]] formats::GpuCut cut_tiles(std::int64_t tiles) const {
    return formats::cut_tiles(tiles, std::min(parallel_groups_, most_groups_));
  }

  [[nodiscard]] std::int64_t groups(std::int64_t units, std::int64_t units_per_group) const {
    return std::clamp<std::int64_t>(parts(units, units_per_group), 1, most_groups_);
  }

  template <class T>
  const GpuBuffer* upload(const Array<T>& array) {
    return upload(array.data(), static_cast<std::int64_t>(array.size()));
  }
  template <class T>
  const GpuBuffer* upload(const T* data, std::int64_t count) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
    GpuBuffer* buffer = reserve(bytes);
    runtime_.upload(*buffer, data, bytes);
    return buffer;
  }
  GpuBuffer* reserve(std::int64_t bytes) {
    plan_.arrays.push_back(runtime_.allocate(bytes));
    plan_.bytes += bytes;
    return plan_.arrays.back().get();
  }

  GpuBuffer* reserve_scratch(std::int64_t bytes) {
    plan_.scratch.push_back(reserve(bytes));
    plan_.scratch_bytes.push_back(bytes);
    return plan_.scratch.back();
  }

  // So many 32-bit numbers that every launch leaves as zero.
  GpuBuffer* reserve_zeros(std::int64_t count) {
    GpuBuffer* zeros = reserve_scratch(count * 4);
    plan_.zeros.push_back(plan_.scratch.size() - 1);
    const std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    runtime_.upload(*zeros, numbers.data(), count * 4);
    return zeros;
  }

  // Uploads the three arrays of CSR and calls launch with them and the width of the row pointers.
  template <class Launch>
  void upload_csr(Launch&& launch) {
    const auto layout = formats::to_csr<Value>(matrix_, threads_);
    layout.visit([&](const auto& csr) {
      using View = std::decay_t<decltype(csr)>;
      const GpuBuffer* pointers = upload(csr.row_pointers, csr.rows + 1);
      const GpuBuffer* columns = nullptr;
      if constexpr (sizeof(typename View::Index) == 4) {
        columns = upload(csr.column_indices, matrix_.nonzeros());
      } else {
        Array<std::int32_t> narrow(static_cast<std::size_t>(matrix_.nonzeros()));
        std::transform(csr.column_indices, csr.column_indices + matrix_.nonzeros(), narrow.begin(),
                       [](std::int64_t column) { return static_cast<std::int32_t>(column); });
        columns = upload(narrow);
      }
      const GpuBuffer* values = upload(csr.values, matrix_.nonzeros());
      launch(pointers, columns, values, static_cast<int>(8 * sizeof(typename View::Offset)));
    });
  }

  void with_carries(std::string_view function, int offset_bits, std::int64_t groups, GpuArguments arguments) {
    const GpuBuffer* rows = reserve_scratch(groups * 4);
    const GpuBuffer* sums = reserve_scratch(groups * value_size);
    arguments.insert(arguments.end(), {rows, sums});
    step(function, offset_bits, groups, std::move(arguments));
    step("add_carries", 0, 1, {matrix_.rows(), groups, rows, sums, y_.get()});
  }

  void step(std::string_view function, int offset_bits, std::int64_t groups, GpuArguments arguments) {
    GpuKernel& kernel = runtime_.kernel(function, precision, offset_bits);
    plan_.steps.emplace_back([&runtime = runtime_, &kernel, groups, arguments = std::move(arguments)](std::int64_t) {
      runtime.launch(kernel, groups, arguments);
    });
  }

  GpuRuntime& runtime_;
  const Matrix& matrix_;
  std::int64_t vectors_;
  int threads_;
  std::int64_t most_groups_, parallel_groups_;
  std::unique_ptr<GpuBuffer> x_, y_;
  GpuPlan plan_;
  double loading_before_ = runtime_.loading_seconds();
};

// What is built, and how (in either precision).
struct Row {
  formats::GpuForm form;
  void (*build_single)(Builder<float>& builder);
  void (*build_double)(Builder<double>& builder);

  template <class Build>
  constexpr Row(formats::GpuForm built, Build build) : form(built), build_single(build), build_double(build) {}
};

constexpr std::array products{
    Row{formats::GpuForm::csr_scalar, [](auto& builder) { builder.csr("csr_scalar"); }},
    Row{formats::GpuForm::csr_vector, [](auto& builder) { builder.csr("csr_vector"); }},
    Row{formats::GpuForm::csr_half, [](auto& builder) { builder.csr("csr_half"); }},
    Row{formats::GpuForm::csr_stream, [](auto& builder) { builder.csr_stream(); }},
    Row{formats::GpuForm::csr_merge, [](auto& builder) { builder.csr_merge(); }},
    Row{formats::GpuForm::csr_tiles, [](auto& builder) { builder.csr_tiles(); }},
    Row{formats::GpuForm::ell, [](auto& builder) { builder.ell(); }},
    Row{formats::GpuForm::coo, [](auto& builder) { builder.coo(); }},
    Row{formats::GpuForm::hyb, [](auto& builder) { builder.hyb(); }},
    Row{formats::GpuForm::jad, [](auto& builder) { builder.jad(); }},
    Row{formats::GpuForm::sell, [](auto& builder) { builder.sell(); }},
    Row{formats::GpuForm::sell_compact, [](auto& builder) { builder.sell_compact(); }},
};
}  // namespace

void refuse_if_too_large(const GpuRuntime& runtime, const Structure& structure, std::string_view kernel,
                         std::int64_t format_bytes, Precision precision, std::int64_t vectors) {
  const DeviceProperties& device = runtime.properties();
  if (!Matrix::fits32(structure.rows) || !Matrix::fits32(structure.cols))
    throw Error(ErrorCode::too_large,
                fmt::format("too large: {} numbers rows and columns with 32 bits, the matrix is {} × {}", kernel,
                            structure.rows, structure.cols));
  const std::int64_t value = value_bytes(precision);
  const std::int64_t bytes = formats::saturating_sum(format_bytes, value * vectors * (structure.rows + structure.cols));
  const double usable = usable_share * static_cast<double>(device.memory_bytes);
  if (static_cast<double>(bytes) > usable)
    throw Error(ErrorCode::too_large, fmt::format("too large: {} with its vectors takes {}, and {} has {}", kernel,
                                                  bytes_text(bytes), device.name, bytes_text(device.memory_bytes)));
  // The largest array holds the values; beside each stands a column index of 4 bytes.
  const std::int64_t largest = format_bytes / (value + 4) * value;
  if (largest > runtime.largest_buffer())
    throw Error(ErrorCode::too_large,
                fmt::format("too large: the values of {} take {} and {} allows {} in one piece", kernel,
                            bytes_text(largest), device.name, bytes_text(runtime.largest_buffer())));
}

std::unique_ptr<Product> make_gpu_product(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                          std::string_view kernel, Precision precision, std::int64_t vectors,
                                          const GpuLaunchLimits& limits) {
  refuse_if_too_large(runtime, structure, kernel, formats::gpu_format_bytes(structure, kernel, precision), precision,
                      vectors);
  const Row& row = *std::ranges::find(products, formats::kernel_or_plain(kernel).gpu.form, &Row::form);
  const double begun = base::now_s();
  const auto build = [&]<class Value>(void (*convert)(Builder<Value>&)) {
    Builder<Value> builder(runtime, matrix, vectors, limits);
    convert(builder);
    return builder.finish(begun);
  };
  return precision == Precision::single_ ? build(row.build_single) : build(row.build_double);
}
}  // namespace sparsecast::hardware
