#pragma once
// The three schemes x ← A·x on P processes and the two local storage formats (Hossain & Saule, section II).

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::cluster {

enum class Scheme {
  two_d_uniform,  ///< "2du": randomly permuted, p × p blocks, reduce along rows, broadcast down columns
  global_rows,    ///< "g1dr": rows by METIS part, every process keeps all of x, allgatherv
  local_rows,     ///< "l1dr": rows by METIS part, x where it is used, point-to-point messages
};
enum class LocalFormat { csr, coo };

std::string_view to_string(Scheme scheme);
std::string_view to_string(LocalFormat format);
/// Error usage for an unknown name.
Scheme parse_scheme(std::string_view name);
LocalFormat parse_format(std::string_view name);

std::span<const Scheme> all_schemes();
std::span<const LocalFormat> all_formats();
std::vector<std::string> format_names();

/// p where processes = p², else 0.
int grid_side(int processes);
/// True where the scheme runs on that many processes: 2du needs a square number.
bool admissible(Scheme scheme, int processes);
/// Error usage that names the nearest counts where it is not.
void require_admissible(Scheme scheme, int processes);

}  // namespace sparsecast::cluster
