#pragma once
// The three ways of running x ← A·x on P processes and the two local storage formats (Hossain & Saule, section II).

#include <span>
#include <string>
#include <string_view>

namespace sparsecast::cluster {

enum class Way {
  two_d_uniform,  ///< "2du": randomly permuted, p × p blocks, reduce along rows, broadcast down columns
  global_rows,    ///< "g1dr": rows by METIS part, every process keeps all of x, allgatherv
  local_rows,     ///< "l1dr": rows by METIS part, x where it is used, point-to-point messages
};
enum class LocalFormat { csr, coo };

std::string_view to_string(Way way);
std::string_view to_string(LocalFormat format);
/// Error usage for an unknown name.
Way parse_way(std::string_view name);
LocalFormat parse_format(std::string_view name);

std::span<const Way> all_ways();
std::span<const LocalFormat> all_formats();

/// p where processes = p², else 0.
int grid_side(int processes);
/// True where the way runs on that many processes: 2du needs a square number.
bool admissible(Way way, int processes);
/// Error usage that names the nearest counts where it is not.
void require_admissible(Way way, int processes);

}  // namespace sparsecast::cluster
