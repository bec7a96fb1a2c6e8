#!/usr/bin/env bash
# later_glibc_test.sh SOURCE: what packaging/wheels/later_glibc.c does in the place of later glibcs' functions, once with
# this system's own to ask and once with none: waits end when their time is over, no sooner, and say so; a child ends
# with its own status; random numbers differ.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cat >"$place/main.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
pid_t _Fork(void);
uint32_t arc4random(void);
int pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
int pthread_mutex_clocklock(pthread_mutex_t*, clockid_t, const struct timespec*);
static struct timespec now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t;
}
static struct timespec soon(void) {
  struct timespec t = now();
  t.tv_nsec += 30000000;
  if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, ++t.tv_sec;
  return t;
}
static int over(struct timespec t) {
  const struct timespec n = now();
  return n.tv_sec > t.tv_sec || (n.tv_sec == t.tv_sec && n.tv_nsec >= t.tv_nsec - 5000000);
}
int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  struct timespec until = soon();
  if (pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT || !over(until)) return puts("wait"), 1;
  until = soon();
  if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT || !over(until)) return puts("lock"), 1;
  const pid_t child = _Fork();
  if (child == 0) _exit(7);
  int status = 0;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return puts("fork"), 1;
  const uint32_t a = arc4random(), b = arc4random(), c = arc4random();
  if (a == b && b == c) return puts("random"), 1;
  return 0;
}
C
for none in '' '-Ddlsym(library,name)=NULL'; do
  cc -Wall -Wextra -O1 ${none:+"$none"} -c "$1/packaging/wheels/later_glibc.c" -o "$place/later.o"
  cc -O1 "$place/main.c" "$place/later.o" -pthread -ldl -o "$place/main"
  "$place/main" || { echo "later_glibc_test: failed, ${none:-asking the system}" >&2; exit 1; }
done
