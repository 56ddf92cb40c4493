#ifndef TELLER_PROCESS_H
#define TELLER_PROCESS_H

#include <stddef.h>

/// Starts a thread that ends by itself. Foundation's `Thread` starts none when the system has none left, and says nothing.
///
/// - Returns: 0, or the number of the system's error.
int teller_thread_start(const char *name, size_t stack_size, void (*body)(void *), void *context);

/// What SIGPIPE and descriptors 0 to 2 are prepared for at the start of every process; also to be called by hand.
void teller_process_prepare(void);

#endif
