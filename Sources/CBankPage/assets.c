#include "CBankPage.h"

static const unsigned char script[] = {
#embed "web/bank.js"
};
static const unsigned char style[] = {
#embed "web/bank.css"
};

struct bank_file bank_script(void) {
  struct bank_file file = {script, sizeof(script)};
  return file;
}

struct bank_file bank_style(void) {
  struct bank_file file = {style, sizeof(style)};
  return file;
}
