#include "base/memory.hpp"

#include <unistd.h>

namespace sparsecast::base {
std::int64_t memory_bytes() { return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }
}  // namespace sparsecast::base
