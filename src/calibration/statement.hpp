#pragma once
// A thin value type over one prepared SQLite statement: bind in order, step, read in order. Every failure is an Error.

#include <fmt/format.h>
#include <sqlite3.h>
#include <filesystem>
#include <new>
#include <optional>
#include <sparsecast/error.hpp>
#include <sparsecast/precision.hpp>
#include <vector>
#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast::calibration {
/// Error failed with what SQLite says and a way out.
[[noreturn]] inline void throw_store_error(sqlite3* database, int result, const std::filesystem::path& file) {
  const std::string reason = sqlite3_errmsg(database);
  const int kind = result & 0xff;
  if (kind == SQLITE_NOMEM) throw std::bad_alloc();
  if (kind == SQLITE_FULL || kind == SQLITE_IOERR)
    throw Error(ErrorCode::failed, "cannot write the store: " + reason, {file.string()},
                "free some disk space and run again; what was reported so far is kept");
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
    throw Error(ErrorCode::failed, "the store is damaged or not a store: " + reason, {file.string()},
                "`sqlite3 FILE .recover` saves what can be read; set SPARSECAST_HOME to another folder to start again");
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
    throw Error(ErrorCode::failed, "another program has locked the store: " + reason, {file.string()},
                "wait for it and run again; if there is no such program, the file system has no locks: set "
                "SPARSECAST_HOME to a folder on a local disk");
  throw Error(ErrorCode::failed, "cannot use the store: " + reason, {file.string()},
              "set SPARSECAST_HOME to another folder");
}

/// "[1, 2]"; nothing of anything else.
[[nodiscard]] std::vector<double> numbers_of(const std::string& text);

class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement& operator=(Statement&&) = delete;  // nor copied

  template <class... Values>
  Statement& bind(const Values&... values) {
    (bind_one(values), ...);
    return *this;
  }
  /// Ready to be bound and stepped again; what it has read is let go.
  Statement& reset() {
    sqlite3_reset(statement_);
    bound_ = 0;
    return *this;
  }
  /// True while there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW) {
      column_ = 0;
      return true;
    }
    if (result != SQLITE_DONE) check(result);
    return false;
  }
  [[nodiscard]] std::string text() {
    const int column = column_++;
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  /// nullopt for NULL.
  [[nodiscard]] std::optional<double> optional_real() {
    if (sqlite3_column_type(statement_, column_) == SQLITE_NULL) return ++column_, std::nullopt;
    return real();
  }
  [[nodiscard]] double real() { return sqlite3_column_double(statement_, column_++); }
  [[nodiscard]] std::int64_t integer() { return sqlite3_column_int64(statement_, column_++); }
  /// The fields of a struct, which the next columns are.
  template <HasFields Struct>
  [[nodiscard]] Struct fields() {
    Struct row;
    each_field<Struct>([&](const auto& field) { read(field.in(row)); });
    return row;
  }

 private:
  void bind_one(std::string_view value) {
    check(sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  void bind_one(const std::string& value) { bind_one(std::string_view(value)); }
  void bind_one(const char* value) { bind_one(std::string_view(value)); }
  void bind_one(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); }
  void bind_one(const std::optional<double>& value) {
    value ? bind_one(*value) : check(sqlite3_bind_null(statement_, ++bound_));
  }
  void bind_one(std::int64_t value) { check(sqlite3_bind_int64(statement_, ++bound_, value)); }
  void bind_one(int value) { bind_one(static_cast<std::int64_t>(value)); }

  void bind_one(Precision value) { bind_one(to_string(value)); }
  void bind_one(const std::vector<double>& value) { bind_one(fmt::format("[{:.4g}]", fmt::join(value, ","))); }

  static Precision precision_of_word(const std::string& word) {
    for (const auto& [precision, written] : Words<Precision>::table)
      if (written == word) return precision;
    return Precision::double_;
  }

  template <class T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, std::string>)
      value = text();
    else if constexpr (std::is_same_v<T, Precision>)
      value = precision_of_word(text());
    else if constexpr (std::is_same_v<T, std::optional<double>>)
      value = optional_real();
    else if constexpr (std::is_floating_point_v<T>)
      value = real();
    else if constexpr (std::is_same_v<T, std::vector<double>>)
      value = numbers_of(text());
    else
      value = static_cast<T>(integer());
  }

  void check(int result) const {
    if (result == SQLITE_OK) return;
    const char* file = sqlite3_db_filename(database_, nullptr);
    throw_store_error(database_, result, file != nullptr ? file : "");
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int column_ = 0;
};

inline void execute(sqlite3* database, const std::string& sql, const std::filesystem::path& file) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  throw_store_error(database, sqlite3_errcode(database), file);
}

// All or nothing: rolled back unless committed.
class Transaction {
 public:
  Transaction(sqlite3* database, const std::filesystem::path& file) : database_(database), file_(file) {
    execute(database_, "BEGIN IMMEDIATE", file_);
  }
  ~Transaction() {
    if (!committed_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction& operator=(Transaction&&) = delete;  // nor copied
  void commit() {
    execute(database_, "COMMIT", file_);
    committed_ = true;
  }

 private:
  sqlite3* database_;
  const std::filesystem::path& file_;
  bool committed_ = false;
};

// Rows that are the fields of a struct, in their order.

template <HasFields Struct>
[[nodiscard]] std::string columns_of() {
  std::string names;
  each_field<Struct>([&](const auto& field) { names += (names.empty() ? "" : ", ") + std::string(field.key); });
  return names;
}

/// In place of the row with the same key.
template <HasFields Struct>
void insert(sqlite3* database, const char* table, const Struct& row) {
  std::string places;
  each_field<Struct>([&](const auto& /*field*/) { places += places.empty() ? "?" : ", ?"; });
  Statement statement(database,
                      fmt::format("INSERT OR REPLACE INTO {}({}) VALUES({})", table, columns_of<Struct>(), places));
  each_field<Struct>([&](const auto& field) { statement.bind(field.in(row)); });
  statement.step();
}
}  // namespace sparsecast::calibration
