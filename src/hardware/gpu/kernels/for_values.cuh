// The texts that depend on the value type alone.
// carry.cl comes before those that call it.
// clang-format off
#include "carry.cl"
#include "group_sum.cl"
#include "lane_sum.cl"
#include "add_carries.cl"
#include "coo.cl"
#include "ell.cl"
#include "jad.cl"
#include "sell.cl"
#include "set_zero.cl"
#include "strided.cl"
#define COMPACT sell_compact_one
#define STORED 0
#include "sell_compact.cl"
#undef COMPACT
#undef STORED
#define COMPACT sell_compact_codes
#define STORED 1
#include "sell_compact.cl"
#undef COMPACT
#undef STORED
#define COMPACT sell_compact_single
#define STORED 2
#include "sell_compact.cl"
#undef COMPACT
#undef STORED
#define COMPACT sell_compact_plain
#define STORED 3
#include "sell_compact.cl"
#undef COMPACT
#undef STORED
#include "value_chains.cl"
#include "vectors.cl"
// clang-format on
