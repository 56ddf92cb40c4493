#ifndef BANK_CBANKPAGE_H
#define BANK_CBANKPAGE_H

#include <stddef.h>

/// A file of the folder `web`, as it is.
struct bank_file {
  /// Its name in the folder, without a path.
  const char *name;
  const unsigned char *bytes;
  size_t count;
};

/// The file at that place of the list; its name is null behind the last one. The bytes live as long as the process.
struct bank_file bank_file_at(size_t index);

#endif
