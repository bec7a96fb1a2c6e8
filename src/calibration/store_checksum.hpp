#pragma once
// A checksum beside every row of the store, so that a bit that turned on the disk is found. SQL asks for it:
// sum_of(column, …) gives the sum of the columns as they are stored.

#include <span>
#include <string>

struct sqlite3;

namespace sparsecast::calibration {
/// A table of the store and the columns that its `checksum` is of.
struct SummedTable {
  const char* name;
  const char* columns;
};
[[nodiscard]] std::span<const SummedTable> summed_tables();

/// Makes sum_of() known on this connection.
void define_checksum(sqlite3* database);

/// SQL that is true for a row whose checksum holds.
[[nodiscard]] std::string sum_holds(const char* table);
/// SQL that sets the checksum of rows; an empty condition: of all.
[[nodiscard]] std::string set_sums(const char* table, const std::string& where);
}  // namespace sparsecast::calibration
