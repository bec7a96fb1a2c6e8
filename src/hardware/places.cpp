#include "fields/places.hpp"

namespace sparsecast {
std::string_view to_string(Places places) noexcept { return word_of(places); }
}  // namespace sparsecast
