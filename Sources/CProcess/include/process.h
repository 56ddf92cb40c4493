#ifndef TELLER_PROCESS_H
#define TELLER_PROCESS_H

#include <stddef.h>

/// Starts a thread that ends by itself. Foundation's `Thread` starts none when the system has none left, and says nothing.
///
/// - Returns: 0, or the number of the system's error.
int teller_thread_start(const char *name, size_t stack_size, void (*body)(void *), void *context);

/// Whether so many threads can be there at once, beside those that are: starts and ends them.
///
/// - Returns: 0, or the number of the system's error.
int teller_threads_missing(int count);

/// What SIGPIPE and descriptors 0 to 2 are prepared for at the start of every process; also to be called by hand.
void teller_process_prepare(void);

/// Has SIGPIPE passed over again where somebody has had it ignored since the start. Nothing happens in a process that was
/// started with another choice.
void teller_pass_over_broken_pipes_again(void);

/// Whether the process passes over that signal, as it was told to when it was started. 1: it does.
int teller_ignores_signal(int signal_number);

/// How many descriptors the process may still open, and in `limit` how many it may have. The number is exact as long as
/// there are no holes below the highest descriptor; else it is higher.
long teller_descriptors_left(long *limit);

/// Which file a path names: its device and its number there. Asks for nothing else: since Linux 6.13, who has asked for a
/// file's times has the next write record a new one, which the next sync then writes, too.
///
/// - Returns: 0, or -1 where there is none.
int teller_file_identity(const char *path, unsigned long long *device, unsigned long long *number);

#endif
