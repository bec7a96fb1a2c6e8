// Chains of dependent operations that do not depend on the value type, and of loads (see chains.h).

// Minimum and maximum in turn: additions would be folded, or shared out between the integer and the multiply pipe.
KERNEL(chain_integer)(WIDE threads, WIDE short_rounds, WIDE long_rounds, WIDE one, GLOBAL WIDE* RESTRICT cycles) {
  if (LOCAL_ID() >= threads) return;
  UNSIGNED a = (UNSIGNED)(one + LOCAL_ID());
  const UNSIGNED b = (UNSIGNED)one, c = (UNSIGNED)(one + short_rounds);
  ROUNDS(TIMES_16(LARGER(a, b); SMALLER(a, c)), TIMES_48(LARGER(a, b); SMALLER(a, c)))
  KEEP(a)
}
CHAIN(chain_integer_mad, UNSIGNED, a = a * b + b)
CHAIN(chain_root, float, RECIPROCAL_ROOT(a))
CHAIN(chain_exponential, float, EXPONENTIAL(a))
// The integer's bits are the next conversion's operand.
CHAIN(chain_conversion, int, NEAREST_OF_BITS(a))

#define LOAD_LOCAL(ring, a) a = *(LOCAL const int*)((LOCAL const char*)ring + a)
// The offset that is read is the next one's address; a lane stays in its bank.
KERNEL(chain_shared)(WIDE threads, WIDE short_rounds, WIDE long_rounds, WIDE one, GLOBAL WIDE* RESTRICT cycles) {
  LOCAL_ARRAY(int, ring, 4 * GROUP);
  for (int i = LOCAL_ID(); i < 4 * GROUP; i += GROUP) ring[i] = 4 * ((i + (int)one * GROUP) % (4 * GROUP));
  BARRIER();
  if (LOCAL_ID() >= threads) return;
  int a = 4 * LOCAL_ID();
  ROUNDS(TIMES_32(LOAD_LOCAL(ring, a)), TIMES_96(LOAD_LOCAL(ring, a)))
  KEEP(a)
}

KERNEL(chain_barrier)(WIDE threads, WIDE short_rounds, WIDE long_rounds, WIDE one, GLOBAL WIDE* RESTRICT cycles) {
  ROUNDS(TIMES_32(BARRIER()), TIMES_96(BARRIER()))
  KEEP(one + threads)
}

#ifdef CUDA_WORDS
CHAIN(chain_half, UNSIGNED, HALF_FMA(a, b))
CHAIN(chain_shuffle, int, a = SHUFFLE_XOR(a, 1))
#endif

// Loads whose result is the next one's address. ring[i] holds the distance in bytes from the ring's first element to
// the one that comes after i; link_ring makes addresses of them.
KERNEL(link_ring)(WIDE count, GLOBAL WIDE* ring) {
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < count; i += GROUP_COUNT() * GROUP) ring[i] += (WIDE)ring;
}

// Thread t of group g begins at element first + g · group_step + t.
#define CHASE(name, LOAD)                                                                                          \
  KERNEL(name)(WIDE threads, WIDE short_rounds, WIDE long_rounds, WIDE first, WIDE group_step, GLOBAL WIDE* ring,  \
               GLOBAL WIDE* RESTRICT cycles) {                                                                     \
    if (LOCAL_ID() >= threads) return;                                                                             \
    WIDE a = (WIDE)(ring + first + GROUP_ID() * group_step + LOCAL_ID());                                          \
    ROUNDS(TIMES_32(LOAD(a)), TIMES_96(LOAD(a)))                                                                                                \
    KEEP(a)                                                                                                        \
  }
CHASE(chase_near, LOAD_NEAR)
CHASE(chase_far, LOAD_FAR)
