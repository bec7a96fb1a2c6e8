#include "calibration/store_checksum.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/guard/number_ranges.hpp"

namespace sparsecast::calibration {
namespace {
constexpr SummedTable all_summed[] = {
    {"profiles", "device, properties, software"},
    {"matrices", "id, device, spec, structure"},
    {"records", "matrix, kernel, precision, threads, seconds, spread, preprocess_s, taken, step_s, launch_s"},
    {"curves", "device, name, threads, points"},
    {"micro_benchmarks", "device, name, throughput, readings"},
    {"measurements",
     "taken, matrix, rows, cols, nonzeros, device, kernel, precision, threads, status, seconds, low_s, high_s, spread, "
     "repeats, preprocess_s, step_s, launch_s"},
};

const char* columns_of(const char* table) {
  return std::ranges::find(all_summed, std::string_view(table), &SummedTable::name)->columns;
}

// FNV-1a with a last mixing (of MurmurHash3): any bit that turns changes it.
class Sum {
 public:
  void add(const void* bytes, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      value_ = (value_ ^ static_cast<const unsigned char*>(bytes)[k]) * 0x100000001b3U;
  }
  // Never 0, which rows have that were not summed.
  [[nodiscard]] std::int64_t value() const {
    std::uint64_t v = value_;
    v = (v ^ (v >> 33)) * 0xff51afd7ed558ccdU;
    v = (v ^ (v >> 33)) * 0xc4ceb9fe1a85ec53U;
    return static_cast<std::int64_t>((v ^ (v >> 33)) | 1);
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

void add_value(Sum& sum, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  sum.add(&type, sizeof type);
  if (type == SQLITE_INTEGER) {
    const std::int64_t number = sqlite3_value_int64(value);
    sum.add(&number, sizeof number);
  } else if (type == SQLITE_FLOAT) {
    const double number = sqlite3_value_double(value);
    sum.add(&number, sizeof number);
  } else if (type != SQLITE_NULL) {
    const void* const bytes = sqlite3_value_blob(value);
    const int count = sqlite3_value_bytes(value);
    sum.add(&count, sizeof count);
    if (bytes != nullptr) sum.add(bytes, static_cast<std::size_t>(count));
  }
}

extern "C" void sum_of(sqlite3_context* context, int count, sqlite3_value** values) {
  Sum sum;
  for (int k = 0; k < count; ++k) add_value(sum, values[k]);
  sqlite3_result_int64(context, sum.value());
}
}  // namespace

std::span<const SummedTable> summed_tables() { return all_summed; }

void define_checksum(sqlite3* database) {
  if (sqlite3_create_function_v2(database, "sum_of", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, sum_of, nullptr,
                                 nullptr, nullptr) != SQLITE_OK)
    throw Error(ErrorCode::failed, std::string("store: ") + sqlite3_errmsg(database));
}

std::string sum_holds(const char* table) {
  std::string sql = fmt::format("(checksum = sum_of({})", columns_of(table));
  // A checksum vouches for what was written alone: records are also within the ranges of a profile's.
  constexpr std::string_view records = "records[].";
  if (std::string_view(table) == "records")
    for (const base::NumberRange& range : base::schema_ranges("profile"))
      if (range.path.starts_with(records) && range.path != "records[].matrix")
        sql += fmt::format(" AND {0} {1} {2:.17g} AND {0} <= {3:.17g}", range.path.substr(records.size()),
                           range.kind == base::Numbers::above ? ">" : ">=", range.least, range.most);
  return sql + ")";
}

std::string set_sums(const char* table, const std::string& where) {
  return fmt::format("UPDATE {} SET checksum = sum_of({}){}{}", table, columns_of(table),
                     where.empty() ? "" : " WHERE ", where);
}
}  // namespace sparsecast::calibration
