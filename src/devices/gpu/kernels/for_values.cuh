// The texts that depend on the value type alone.
// carry.cl comes before those that call it.
// clang-format off
#include "carry.cl"
#include "add_carries.cl"
#include "coo.cl"
#include "ell.cl"
#include "jad.cl"
#include "sell.cl"
#include "set_zero.cl"
#include "value_chains.cl"
// clang-format on
