#include "formats/parts/sizes.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

namespace sparsecast::formats {
void refuse_size(const char* format, std::int64_t elements) {
  throw Error(ErrorCode::too_large, fmt::format("too large: {} would need an array of {} elements", format, elements),
              {}, "use a kernel that does not pad, such as csr");
}
}  // namespace sparsecast::formats
