#include "CBankPage.h"

// One block for each file of `web`, and one line in the list at the end, both in the order of their names. A test holds
// that no file is left out.

static const unsigned char bank_css[] = {
#embed "web/bank.css"
};
static const unsigned char bank_js[] = {
#embed "web/bank.js"
};
static const unsigned char closing_js[] = {
#embed "web/closing.js"
};
static const unsigned char day_js[] = {
#embed "web/day.js"
};
static const unsigned char lists_js[] = {
#embed "web/lists.js"
};
static const unsigned char opening_js[] = {
#embed "web/opening.js"
};
static const unsigned char reset_js[] = {
#embed "web/reset.js"
};
static const unsigned char served_js[] = {
#embed "web/served.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof(bytes)}

static const struct bank_file files[] = {
    FILE_OF("bank.css", bank_css),
    FILE_OF("bank.js", bank_js),
    FILE_OF("closing.js", closing_js),
    FILE_OF("day.js", day_js),
    FILE_OF("lists.js", lists_js),
    FILE_OF("opening.js", opening_js),
    FILE_OF("reset.js", reset_js),
    FILE_OF("served.js", served_js),
};

struct bank_file bank_file_at(size_t index) {
  struct bank_file none = {0};
  return index < sizeof(files) / sizeof(files[0]) ? files[index] : none;
}
