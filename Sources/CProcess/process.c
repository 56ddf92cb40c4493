#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: Threads

struct start {
  void (*body)(void *);
  void *context;
  char name[16];
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
#ifdef __linux__
  pthread_setname_np(pthread_self(), start.name);
#else
  pthread_setname_np(start.name);
#endif
  start.body(start.context);
  return NULL;
}

int teller_thread_start(const char *name, size_t stack_size, void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return ENOMEM;
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);
  start->name[sizeof start->name - 1] = 0;
  pthread_attr_t attributes;
  int problem = pthread_attr_init(&attributes);
  if (problem == 0) {
    pthread_t thread;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    problem = pthread_attr_setstacksize(&attributes, stack_size);
    if (problem == 0) problem = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);
  }
  if (problem != 0) free(start);
  return problem;
}

static void *pass(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

int teller_threads_missing(int count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  if (threads == NULL) return ENOMEM;
  int started = 0, problem = 0;
  pthread_mutex_lock(&gate);
  while (problem == 0 && started < count) {
    problem = pthread_create(&threads[started], NULL, pass, &gate);
    if (problem == 0) started++;
  }
  pthread_mutex_unlock(&gate);
  for (int index = 0; index < started; index++) pthread_join(threads[index], NULL);
  free(threads);
  return problem;
}

// MARK: Descriptors

long teller_descriptors_left(long *limit) {
  struct rlimit limits;
  *limit = LONG_MAX;
  if (getrlimit(RLIMIT_NOFILE, &limits) == 0 && limits.rlim_cur < LONG_MAX) *limit = (long)limits.rlim_cur;
  int lowest = fcntl(0, F_DUPFD_CLOEXEC, 0);
  if (lowest < 0) return errno == EMFILE ? 0 : *limit;
  close(lowest);
  return *limit - lowest;
}

// MARK: Files

int teller_file_identity(const char *path, unsigned long long *device, unsigned long long *number) {
#ifdef __linux__
  struct statx entry;
  if (statx(AT_FDCWD, path, 0, STATX_INO, &entry) != 0) return -1;
  *device = (unsigned long long)entry.stx_dev_major << 32 | entry.stx_dev_minor;
  *number = entry.stx_ino;
#else
  struct stat entry;
  if (stat(path, &entry) != 0) return -1;
  *device = (unsigned long long)entry.st_dev;
  *number = (unsigned long long)entry.st_ino;
#endif
  return 0;
}

// MARK: The start of a process

int teller_ignores_signal(int signal_number) {
  struct sigaction present;
  if (sigaction(signal_number, NULL, &present) != 0 || (present.sa_flags & SA_SIGINFO)) return 0;
  return present.sa_handler == SIG_IGN;
}

static void pass_over(int signal_number) { (void)signal_number; }

static void pass_over_broken_pipes(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = pass_over;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);
}

// Nobody had chosen for himself when the process was prepared.
static int passes_over_broken_pipes = 0;

void teller_pass_over_broken_pipes_again(void) {
  if (passes_over_broken_pipes && teller_ignores_signal(SIGPIPE)) pass_over_broken_pipes();
}

void teller_process_prepare(void) {
  // A descriptor 0, 1 or 2 that is closed would be given to the next socket or file: what is printed or logged would then be
  // written into it.
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      int opened = open("/dev/null", O_RDWR);
      if (opened > 2) close(opened);
    }
  }
  // A reader that ends must not end a process. Not SIG_IGN: programs that a handler starts would inherit that, and a shell
  // there could not have the usual pipes. A handler is gone in them. Whoever has chosen for himself is left alone.
  struct sigaction present;
  if (sigaction(SIGPIPE, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_DFL) {
    passes_over_broken_pipes = 1;
    pass_over_broken_pipes();
  }
}

#ifdef __linux__

// Process 1 of a container has two duties that no other process has. The kernel drops every signal that it has no handler
// for: a SIGTERM that comes before the program has asked for it would be lost. And it gets the children of processes that
// have died, which stay as zombies until it looks after them. The program cannot do the second itself: the children of its
// own handlers are waited for by those handlers. So the program becomes a child of this.

static int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

static void serve_as_init(pid_t program, const sigset_t *all) {
  for (;;) {
    siginfo_t news;
    if (sigwaitinfo(all, &news) < 0) continue;
    if (news.si_signo != SIGCHLD) {
      // What the terminal sends, the program has got as well.
      if (news.si_code != SI_KERNEL) kill(program, news.si_signo);
      continue;
    }
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended == program) _exit(exit_code(status));
    }
  }
}

static void become_child_of_init(void) {
  sigset_t all, before;
  sigfillset(&all);
  // Signals that come from now on wait: for this process, or for the program's first instruction.
  if (sigprocmask(SIG_SETMASK, &all, &before) != 0) return;
  pid_t program = fork();
  if (program > 0) serve_as_init(program, &all);
  // Also where no process can be made: the program then goes on as process 1.
  sigprocmask(SIG_SETMASK, &before, NULL);
}

#endif

__attribute__((constructor)) static void begin(void) {
  teller_process_prepare();
#ifdef __linux__
  // Before any thread is there. TELLER_INIT=0 leaves process 1 alone: for an init that a container has beside the program.
  const char *wish = getenv("TELLER_INIT");
  if (getpid() == 1 && !(wish != NULL && strcmp(wish, "0") == 0)) become_child_of_init();
#endif
}
