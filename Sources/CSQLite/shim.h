#ifndef TELLER_CSQLITE_SHIM_H
#define TELLER_CSQLITE_SHIM_H

#include <sqlite3.h>

// Why: Swift does not see a function with a variable number of arguments. Once SQLite is in use, SQLite refuses the call.
static inline int teller_sqlite3_keep_no_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
