#ifndef TELLER_CSQLITE_SHIM_H
#define TELLER_CSQLITE_SHIM_H

#include <sqlite3.h>

// Why: a function with a variable number of arguments, which Swift does not see. Once SQLite is in use, it refuses.
static inline int teller_sqlite3_keep_no_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
