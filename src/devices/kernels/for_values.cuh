// The texts that depend on the value type alone.
// clang-format off: carry.cl comes before those that call it.
#include "carry.cl"
#include "add_carries.cl"
#include "coo.cl"
#include "ell.cl"
#include "jad.cl"
#include "sell.cl"
#include "set_zero.cl"
// clang-format on
