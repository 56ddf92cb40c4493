// Gives a process a wall clock that a test can set while it runs: preloaded, it adds the nanoseconds that stand in the
// file STEPPED_CLOCK, eight bytes that are written at any time, to whatever the process reads from its wall clock. Every
// other clock of the process, its timers and its environment stay as they are. (libfaketime moves timers of the monotonic
// clock, too, so that a process that it sets back stands still.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;
static _Atomic int64_t *offset;

__attribute__((constructor)) static void find_offset(void) {
  const char *path = getenv("STEPPED_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) offset = page;
}

static struct timespec moved(struct timespec time, int direction) {
  int64_t sum = time.tv_sec * second + time.tv_nsec + (offset ? direction * atomic_load(offset) : 0);
  if (sum < 0) sum = 0;
  return (struct timespec){.tv_sec = sum / second, .tv_nsec = sum % second};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) *time = moved(*time, 1);
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// The kernel compares with its own wall clock.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  static int (*next)(sem_t *restrict, const struct timespec *restrict);
  if (!next) next = (int (*)(sem_t *restrict, const struct timespec *restrict))dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec time = moved(*until, -1);
  return next(semaphore, &time);
}
