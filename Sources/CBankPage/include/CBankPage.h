#ifndef BANK_CBANKPAGE_H
#define BANK_CBANKPAGE_H

#include <stddef.h>

/// A file of the bank's screen.
struct bank_file {
  const unsigned char *bytes;
  size_t count;
};

/// `web/bank.js`. The bytes live as long as the process.
struct bank_file bank_script(void);
/// `web/bank.css`.
struct bank_file bank_style(void);

#endif
