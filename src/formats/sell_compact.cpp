

#include <algorithm>

#include "base/small_floats.hpp"
#include "formats/csr.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/compact_sums.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/slice_stores.hpp"
#include "matrix/structure/compact.hpp"

namespace sparsecast::formats {
namespace {
constexpr std::int64_t window_rows = CompactStorage::window_rows;
static_assert(window_rows == host_sell.sort_rows && window_rows == gpu_sell.sort_rows, "a slice lies in one window");

int table_size(StoredValues kind) {
  constexpr int sizes[] = {1, CompactStorage::few, CompactStorage::most_distinct};
  return kind <= StoredValues::codes ? sizes[static_cast<int>(kind)] : 0;
}

// The slots of a slice, row by row: each(slot, entry) where it holds one, each(slot, −1) where it is padded.
template <class Csr, class Value, int lanes, class Each>
void for_each_slot(const Csr& csr, const SellCompact<Value, lanes>& sell, std::int64_t slice, const Each& each) {
  const std::int64_t begin = sell.slice_pointers[slice], end = sell.slice_pointers[slice + 1];
  for (std::int64_t i = 0; i < lanes; ++i) {
    const std::int64_t position = slice * lanes + i, row = position < sell.rows ? sell.permutation[position] : -1;
    std::int64_t entry = row < 0 ? 0 : csr.row_pointers[row];
    const std::int64_t last = row < 0 ? 0 : csr.row_pointers[row + 1];
    std::int64_t slot = begin + i;
    for (; entry < last; ++entry, slot += lanes) each(slot, entry);
    for (; slot < end; slot += lanes) each(slot, std::int64_t{-1});
  }
}

// The columns of a slice; what of them is padded, their rows tell.
template <class Csr, class Value, int lanes, class Column>
void put_columns(const Csr& csr, SellCompact<Value, lanes>& sell, std::int64_t slice, const SliceRows& rows,
                 std::int64_t base, Column* to) {
  if constexpr (lanes == SliceRows::rows && sizeof(typename Csr::Index) == 4) {
    static const auto store = store_columns<Column>();
    store(csr.column_indices.data(), rows, static_cast<std::int32_t>(base), to);
    const std::int64_t shortest = *std::ranges::min_element(rows.length);
    sell.full[slice] = shortest < rows.width
                           ? static_cast<FullColumns>(std::min<std::int64_t>(shortest, every_column - 1))
                           : full_columns(to, rows.width, lanes);
  } else {
    const std::int64_t begin = sell.slice_pointers[slice];
    for_each_slot(csr, sell, slice, [&](std::int64_t slot, std::int64_t entry) {
      to[slot - begin] = static_cast<Column>(entry < 0 ? -1 : csr.column_indices[entry] - base);
    });
    if constexpr (lanes == host_sell.slice_rows)
      sell.full[slice] = full_columns(to, (sell.slice_pointers[slice + 1] - begin) / lanes, lanes);
  }
}

// What a slot stores of a value.
template <class Csr, class Value, int lanes, class Of>
void put_values(const Csr& csr, SellCompact<Value, lanes>& sell, std::int64_t slice, const Of& of) {
  using Stored = decltype(of(0.0));
  auto* to = reinterpret_cast<Stored*>(sell.values.data());
  for_each_slot(csr, sell, slice, [&](std::int64_t slot, std::int64_t entry) {
    to[slot] = entry < 0 ? Stored{0} : of(csr.values[entry]);
  });
}
// The value itself, in that type.
template <class Stored, class Csr, class Value, int lanes>
void put_values_in(const Csr& csr, SellCompact<Value, lanes>& sell, std::int64_t slice, const SliceRows& rows) {
  if constexpr (lanes == SliceRows::rows) {
    static const auto store = store_values<typename Csr::Value, Stored>();
    store(csr.values.data(), rows, reinterpret_cast<Stored*>(sell.values.data()) + sell.slice_pointers[slice]);
  } else {
    put_values(csr, sell, slice, [](double v) { return static_cast<Stored>(v); });
  }
}

// Codes of values that a Dictionary has, by a hash under which no two of them meet, where a few trials find one.
class QuickCodes {
 public:
  explicit QuickCodes(const matrix::Dictionary& values) : values_(values) {
    constexpr int trials = 16, few = 32;
    constexpr std::uint64_t step = 6364136223846793005U, odd = 1442695040888963407U;  // Knuth's MMIX
    const int bits = values.size() <= few ? 12 : 16;
    table_.factor = 0x9E3779B97F4A7C15U;
    table_.shift = 64 - bits;
    for (int trial = 0; trial < trials; ++trial, table_.factor = (table_.factor * step + odd) | 1U)
      if (all_apart(std::size_t{1} << bits)) return;
    table_.codes = nullptr;
  }
  /// None where no hash was found: code() looks values up then.
  [[nodiscard]] const CodeTable* table() const { return table_.codes == nullptr ? nullptr : &table_; }
  [[nodiscard]] std::uint8_t code(double value) const {
    return table_.codes == nullptr ? static_cast<std::uint8_t>(values_.code(value)) : table_.code(value);
  }

 private:
  bool all_apart(std::size_t places) {
    codes_.assign(places, 0);
    table_.codes = codes_.data();
    for (int code = 0; code < values_.size(); ++code)
      codes_[std::bit_cast<std::uint64_t>(values_.value(code)) * table_.factor >> table_.shift] =
          static_cast<std::uint8_t>(code);
    for (int code = 0; code < values_.size(); ++code)
      if (table_.code(values_.value(code)) != code) return false;
    return true;
  }

  const matrix::Dictionary& values_;
  std::vector<std::uint8_t> codes_;
  CodeTable table_;
};

template <class Csr, class Value, int lanes>
void put_codes(const Csr& csr, SellCompact<Value, lanes>& sell, std::int64_t slice, const SliceRows& rows,
               const QuickCodes& codes) {
  if constexpr (lanes == SliceRows::rows) {
    if (const CodeTable* table = codes.table()) {
      static const auto store = store_codes<typename Csr::Value>();
      return store(csr.values.data(), rows, *table,
                   reinterpret_cast<std::uint8_t*>(sell.values.data()) + sell.slice_pointers[slice]);
    }
  }
  put_values(csr, sell, slice, [&](double v) { return codes.code(v); });
}

template <class Csr, class Value, int lanes>
void put_values(const Csr& csr, SellCompact<Value, lanes>& sell, std::int64_t slice, const SliceRows& rows,
                const QuickCodes& codes) {
  switch (sell.kind) {
    case StoredValues::one: return;
    case StoredValues::sixteen:
    case StoredValues::codes: return put_codes(csr, sell, slice, rows, codes);
    case StoredValues::half:
      return put_values(csr, sell, slice, [](double v) { return base::half_bits(static_cast<float>(v)); });
    case StoredValues::bfloat16:
      return put_values(csr, sell, slice, [](double v) { return base::bfloat16_bits(static_cast<float>(v)); });
    case StoredValues::single: return put_values_in<float>(csr, sell, slice, rows);
    case StoredValues::plain: return put_values_in<Value>(csr, sell, slice, rows);
  }
}
}  // namespace

StoredValues stored_values(const CompactStorage& compact, int value_bytes) {
  if (compact.distinct_values == 1) return StoredValues::one;
  if (compact.distinct_values > 0 && compact.distinct_values <= CompactStorage::few) return StoredValues::sixteen;
  // Decoding two bytes takes less than reading a table: of 6 million entries beyond the cache 1.77 against 2.54 ms,
  // sell 2.75 (`measure --threads 1`, Zen 4 guest).
  if (compact.two_bytes == ValueStorage::half) return StoredValues::half;
  if (compact.two_bytes == ValueStorage::bfloat16) return StoredValues::bfloat16;
  if (compact.distinct_values > 0 && value_bytes > 4) return StoredValues::codes;
  return compact.single_exact == 1 && value_bytes > 4 ? StoredValues::single : StoredValues::plain;
}

StoredValues stored_on_gpu(const CompactStorage& compact, int value_bytes) {
  const StoredValues kind = stored_values(compact, value_bytes);
  if (kind != StoredValues::half && kind != StoredValues::bfloat16) return kind;
  return value_bytes > 4 ? StoredValues::single : StoredValues::plain;
}

int stored_bytes(StoredValues kind, int value_bytes) {
  constexpr int bytes[] = {0, 1, 1, 2, 2, 4};
  return kind == StoredValues::plain ? value_bytes : bytes[static_cast<int>(kind)];
}

template <class Value, int height>
std::int64_t SellCompact<Value, height>::bytes() const {
  return array_bytes(slice_pointers) + array_bytes(permutation) + array_bytes(bases) + array_bytes(shifts) +
         array_bytes(near) + array_bytes(far) + array_bytes(table) + array_bytes(values);
}

namespace {
std::int64_t compact_bytes(const Structure& structure, SellShape shape, StoredValues kind, std::int64_t far,
                           int value_bytes) {
  const std::int64_t slots = structure.slice(shape.slice_rows, shape.sort_rows)->slots;
  const std::int64_t slices = (structure.rows + shape.slice_rows - 1) / shape.slice_rows;
  const std::int64_t windows = (structure.rows + window_rows - 1) / window_rows;
  const std::int64_t near = std::max<std::int64_t>(0, slots - far);
  const std::int64_t columns = saturating_sum(saturating_product(near, 2), saturating_product(far, 4));
  const std::int64_t values = saturating_sum(saturating_product(slots, stored_bytes(kind, value_bytes)),
                                             std::int64_t{table_size(kind)} * value_bytes);
  return saturating_sum(saturating_sum(columns, values), (slices + 1) * 8 + structure.rows * 4 + windows * 12);
}
bool is_counted(const Structure& structure, SellShape shape) {
  return structure.slice(shape.slice_rows, shape.sort_rows) != nullptr &&
         index_bytes(structure.rows, structure.cols) <= 4;
}
}  // namespace

double far_share(const Structure& structure) {
  const SliceWork* work = structure.slice(host_sell.slice_rows, host_sell.sort_rows);
  if (work == nullptr || work->slots == 0) return 0;
  return std::min(1.0, static_cast<double>(structure.compact.far_slots) / static_cast<double>(work->slots));
}

std::int64_t sell_compact_bytes(const Structure& structure, int value_bytes) {
  if (!is_counted(structure, host_sell))
    return sell_bytes(structure, host_sell.slice_rows, host_sell.sort_rows, value_bytes);
  return compact_bytes(structure, host_sell, stored_values(structure.compact, value_bytes), structure.compact.far_slots,
                       value_bytes);
}

std::int64_t gpu_sell_compact_bytes(const Structure& structure, int value_bytes) {
  if (!is_counted(structure, gpu_sell))
    return sell_bytes(structure, gpu_sell.slice_rows, gpu_sell.sort_rows, value_bytes);
  const auto slots = static_cast<double>(structure.slice(gpu_sell.slice_rows, gpu_sell.sort_rows)->slots);
  return compact_bytes(structure, gpu_sell, stored_on_gpu(structure.compact, value_bytes),
                       static_cast<std::int64_t>(far_share(structure) * slots), value_bytes);
}

std::string sell_compact_refusal(const Structure& structure) {
  constexpr double worthwhile = 0.9;  // of the bytes of CSR
  if (structure.compact.distinct_values < 0) return "the structure does not say how often values repeat";
  if (index_bytes(structure.rows, structure.cols) > 4) return "columns beyond 32 bits are not stored in fewer";
  const auto bytes = static_cast<double>(sell_compact_bytes(structure, 8));
  return bytes <= worthwhile * static_cast<double>(csr_bytes(structure, 8))
             ? ""
             : "its values do not repeat and its columns are far apart, so it would save too little";
}

template <class Value, int height>
SellCompact<Value, height> to_sell_compact(const Matrix& matrix, int threads) {
  constexpr bool on_host = height == host_sell.slice_rows;
  Sell<Value, std::int32_t> plain = sell_slices<Value, std::int32_t>(matrix, height, window_rows, threads);
  SellCompact<Value, height> sell;
  sell.rows = matrix.rows(), sell.cols = matrix.cols();
  sell.slice_pointers = std::move(plain.slice_pointers), sell.permutation = std::move(plain.permutation);
  const matrix::Dictionary codes = matrix::distinct_values(matrix, threads);
  const CompactStorage storage = matrix::value_storage(matrix, codes.size(), threads);
  sell.kind = on_host ? stored_values(storage, sizeof(Value)) : stored_on_gpu(storage, sizeof(Value));
  for (int code = 0; code < table_size(sell.kind); ++code)
    sell.table.push_back(code < codes.size() ? static_cast<Value>(codes.value(code)) : Value{0});

  sell.bases = matrix::window_bases(matrix, threads);
  std::int64_t near = 0, far = 0;
  const auto windows = std::ssize(sell.bases), of_window = window_rows / height;
  for (std::int64_t w = 0; w < windows; ++w) {
    const std::int64_t begin = sell.slice_pointers[w * of_window];
    std::int64_t& place = sell.bases[w] < 0 ? far : near;
    sell.shifts.push_back(begin - place);
    place += sell.slice_pointers[std::min(sell.slices(), (w + 1) * of_window)] - begin;
  }
  allocate(sell.near, near, "sell-compact");
  allocate(sell.far, far, "sell-compact");
  allocate(sell.values, saturating_product(near + far, stored_bytes(sell.kind, static_cast<int>(sizeof(Value)))),
           "sell-compact");
  if (on_host) allocate(sell.full, sell.slices(), "sell-compact");
  const auto bounds = rows_by_nonzeros(sell.slice_pointers.data(), sell.slices(), threads);  // slices by slots
  const QuickCodes quick(codes);
  matrix.visit([&](const auto& csr) {
    for_each_part(threads, [&](int part) {
      for (std::int64_t slice = bounds[part]; slice < bounds[part + 1]; ++slice) {
        if (on_host) sell.full[slice] = read_in_runs;
        if (sell.slice_pointers[slice + 1] == sell.slice_pointers[slice]) continue;
        const std::int64_t base = sell.bases[slice / of_window];
        const std::int64_t place = sell.slice_pointers[slice] - sell.shifts[slice / of_window];
        SliceRows rows;
        if constexpr (on_host)
          rows = rows_of_slice(csr, sell.permutation, slice,
                               (sell.slice_pointers[slice + 1] - sell.slice_pointers[slice]) / height);
        if (base < 0)
          put_columns(csr, sell, slice, rows, 0, sell.far.data() + place);
        else
          put_columns(csr, sell, slice, rows, base, sell.near.data() + place);
        put_values(csr, sell, slice, rows, quick);
      }
    });
  });
  return sell;
}

#define SPARSECAST_INSTANTIATE(Value, height) \
  template struct SellCompact<Value, height>; \
  template SellCompact<Value, height> to_sell_compact<Value, height>(const Matrix&, int);
SPARSECAST_INSTANTIATE(float, host_sell.slice_rows)
SPARSECAST_INSTANTIATE(double, host_sell.slice_rows)
SPARSECAST_INSTANTIATE(float, gpu_sell.slice_rows)
SPARSECAST_INSTANTIATE(double, gpu_sell.slice_rows)
#undef SPARSECAST_INSTANTIATE

// Host product `sell-compact`: slices dealt to threads by their slots.

namespace {
template <class Value>
class SellCompactProduct final : public HostProduct<Value> {
 public:
  SellCompactProduct(const Matrix& matrix, int threads)
      : sell_(to_sell_compact<Value>(matrix, threads)),
        slices_(rows_by_nonzeros(sell_.slice_pointers.data(), sell_.slices(), threads)) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = compact_sums<Value>(sell_.kind);
    for_each_part(static_cast<int>(slices_.size()) - 1,
                  [&](int part) { sums(sell_, slices_[part], slices_[part + 1], x.data(), y.data()); });
  }
  [[nodiscard]] std::int64_t row_step() const override { return window_rows; }
  void apply_rows(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    constexpr std::int64_t height = SellCompact<Value>::slice_rows;
    compact_sums<Value>(sell_.kind)(sell_, first / height, (last + height - 1) / height, x, y);
  }
  [[nodiscard]] RowParts row_parts() const override {
    RowParts parts{one_pass_parts(), window_rows};
    for (std::int64_t& bound : parts.bounds) bound = std::min(sell_.rows, bound * window_rows);
    return parts;
  }
  [[nodiscard]] std::int64_t bytes() const override { return sell_.bytes(); }

  // A unit is a window of rows, whose places in y are its own.
  [[nodiscard]] std::int64_t one_pass_units() const override { return std::ssize(sell_.bases); }
  [[nodiscard]] std::vector<std::int64_t> one_pass_parts() const override {
    std::vector<std::int64_t> windows;
    for (const std::int64_t slice : slices_) windows.push_back((slice + slices_of_window / 2) / slices_of_window);
    windows.back() = one_pass_units();
    return windows;
  }
  void add_one_pass(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    const auto sums = compact_sums<Value>(sell_.kind);
    const auto scatter = compact_scatter<Value>(sell_.kind);
    alignas(64) std::array<Value, window_rows> products;
    // As many slots as are asked for ahead: the next ones are on their way while these are added.
    constexpr std::int64_t most_slots = prefetch_bytes / static_cast<std::int64_t>(sizeof(Value));
    for (std::int64_t window = first; window < last; ++window) {
      const std::int64_t last_slice = std::min(sell_.slices(), (window + 1) * slices_of_window);
      Value* const of_row_0 = products.data() - window * window_rows;
      for (std::int64_t begin = window * slices_of_window, end = begin; begin < last_slice; begin = end) {
        for (++end; end < last_slice && sell_.slice_pointers[end + 1] - sell_.slice_pointers[begin] <= most_slots;)
          ++end;
        sums(sell_, begin, end, x, of_row_0);
        scatter(sell_, begin, end, of_row_0, y);
      }
    }
  }
  [[nodiscard]] ColumnRange one_pass_columns(std::int64_t first, std::int64_t last) const override {
    ColumnRange range{sell_.cols, 0};
    for (std::int64_t window = first; window < last; ++window) {
      const std::int64_t slice = window * slices_of_window, shift = sell_.shifts[window];
      const std::int64_t begin = sell_.slice_pointers[slice] - shift,
                         end = sell_.slice_pointers[std::min(sell_.slices(), slice + slices_of_window)] - shift;
      const bool far = sell_.bases[window] < 0;
      for (std::int64_t place = begin; place < end; ++place) {
        if (far ? sell_.far[place] == padding_column : sell_.near[place] == SellCompact<Value>::padding) continue;
        const std::int64_t column = far ? sell_.far[place] : sell_.bases[window] + sell_.near[place];
        range.first = std::min(range.first, column);
        range.last = std::max(range.last, column + 1);
      }
    }
    return range;
  }

 private:
  static constexpr std::int64_t slices_of_window = window_rows / SellCompact<Value>::slice_rows;

  SellCompact<Value> sell_;
  std::vector<std::int64_t> slices_;
};
}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_sell_compact(const Matrix& matrix, int threads) {
  if (index_bytes(matrix.rows(), matrix.cols()) > 4) return find_host_kernel("sell")->build<Value>(matrix, threads);
  return std::make_unique<SellCompactProduct<Value>>(matrix, threads);
}

namespace {
// The slots of `sell`, and what decoding them takes.
void count_sell_compact(const Structure& s, const WorkContext& context, Workload& w) {
  count_sell(s, context, w);
  const StoredValues kind = stored_values(s.compact, context.value_bytes);
  if (kind == StoredValues::codes) w.looked_up = w.slots;
  if (kind != StoredValues::codes && kind != StoredValues::one && kind != StoredValues::plain) w.widened = w.slots;
}
}  // namespace

// Kernel `sell-compact`: the slots of `sell` in fewer bytes.
KernelInfo sell_compact_kernel() {
  return {.name = "sell-compact",
          .format = "sell-compact",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "sell with repeated values as codes, near columns in 16 bits",
          .source = "Kourtis et al. 2008",
          .host = {sell_compact_bytes, build_sell_compact<float>, build_sell_compact<double>},
          .dots_step = window_rows,
          .made_for = MadeFor::compact,
          .refusal = sell_compact_refusal,
          .padding = Padding::slices,
          .count = count_sell_compact,
          .gpu = {GpuForm::sell_compact, gpu_sell_compact_bytes, count_sell_compact_on_gpu},
          .costs_like = "sell",
          .whole_only = true};
}
}  // namespace sparsecast::formats
