// Micro-benchmarks of instructions: every operation of a thread waits for the one before, so that one warp shows the
// latency and as many warps as fit the throughput. A round is 32 or 96 operations; the difference of a run of short and
// one of long rounds holds operations alone, the loop, the launch and the clock's own cost cancel. The first thread of
// every group notes how long it took on the multiprocessor's clock (0 where there is none).

#define TIMES_4(step) step; step; step; step
#define TIMES_16(step) TIMES_4(TIMES_4(step))
#define TIMES_48(step) TIMES_16(step); TIMES_16(step); TIMES_16(step)
#define TIMES_32(step) TIMES_16(step); TIMES_16(step)
#define TIMES_96(step) TIMES_48(step); TIMES_48(step)

#define ROUNDS(short_round, long_round)                                              \
  const WIDE begin = CLOCK();                                                        \
  KEEP_ROLLED for (int i = 0; i < (int)short_rounds; ++i) { short_round; }           \
  KEEP_ROLLED for (int i = 0; i < (int)long_rounds; ++i) { long_round; }             \
  const WIDE end = CLOCK();

// What the chain came to is stored under a condition that never holds, or the compiler would drop the chain.
#define KEEP(value)                                       \
  if (LOCAL_ID() == 0) cycles[GROUP_ID()] = end - begin;  \
  if (short_rounds < 0) cycles[LOCAL_ID()] = (WIDE)(value);

// `one` is 1; the compiler must not know.
#define CHAIN(name, TYPE, step)                                                                                \
  KERNEL(name)(WIDE threads, WIDE short_rounds, WIDE long_rounds, WIDE one, GLOBAL WIDE* RESTRICT cycles) {    \
    if (LOCAL_ID() >= threads) return;                                                                         \
    TYPE a = (TYPE)(one + LOCAL_ID());                                                                         \
    const TYPE b = (TYPE)one;                                                                                  \
    (void)b;                                                                                                   \
    ROUNDS(TIMES_32(step), TIMES_96(step))                                                                                             \
    KEEP(a)                                                                                                    \
  }
