#pragma once
#include <array>
namespace sparsecast::constants {
inline constexpr double states_apart = 1.8;
inline constexpr double aij_rows[] = {1.1, 28.4};
inline constexpr double aij_stream = 1.96;
inline constexpr double petsc_products_doubt = 1.35;
}
