// What the objects of a wheel and GCC's static standard library call of glibc later than 2.28, against which wheels are
// linked. The functions are the running system's own where it has them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define INSIDE __attribute__((visibility("hidden")))

// 2.32: whether a reference count may be changed without the bus being locked. Never, here.
extern char __libc_single_threaded;
INSIDE char __libc_single_threaded = 0;

// 2.36: std::random_device.
INSIDE uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
    if (errno != EINTR) abort();
  }
  return number;
}

// 2.34: a fork that calls no other library's handlers.
INSIDE pid_t _Fork(void) {
  pid_t (*theirs)(void) = (pid_t(*)(void))dlsym(RTLD_DEFAULT, "_Fork");
  return theirs ? theirs() : fork();
}

// 2.30: waiting until a time of the steady clock. Before, the standard library waited by the clock of the day as well.
static struct timespec by_the_clock_of_the_day(clockid_t clock, const struct timespec* until) {
  struct timespec now, day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) {
    day.tv_nsec += 1000000000;
    --day.tv_sec;
  } else if (day.tv_nsec >= 1000000000) {
    day.tv_nsec -= 1000000000;
    ++day.tv_sec;
  }
  return day;
}

INSIDE int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  int (*theirs)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*) =
      (int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*))dlsym(RTLD_DEFAULT,
                                                                                          "pthread_cond_clockwait");
  if (theirs) return theirs(condition, mutex, clock, until);
  const struct timespec day = by_the_clock_of_the_day(clock, until);
  return pthread_cond_timedwait(condition, mutex, &day);
}

INSIDE int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  int (*theirs)(pthread_mutex_t*, clockid_t, const struct timespec*) =
      (int (*)(pthread_mutex_t*, clockid_t, const struct timespec*))dlsym(RTLD_DEFAULT, "pthread_mutex_clocklock");
  if (theirs) return theirs(mutex, clock, until);
  const struct timespec day = by_the_clock_of_the_day(clock, until);
  return pthread_mutex_timedlock(mutex, &day);
}
