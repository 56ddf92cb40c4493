#include "CPage.h"

// One block for each file of `web`, and one line in the list at the end, both in the order of their names. A test holds
// that no file is left out.

static const unsigned char actions_js[] = {
#embed "web/actions.js"
};
static const unsigned char api_js[] = {
#embed "web/api.js"
};
static const unsigned char clock_js[] = {
#embed "web/clock.js"
};
static const unsigned char dialog_js[] = {
#embed "web/dialog.js"
};
static const unsigned char dom_js[] = {
#embed "web/dom.js"
};
static const unsigned char forecast_js[] = {
#embed "web/forecast.js"
};
static const unsigned char icon_svg[] = {
#embed "web/icon.svg"
};
static const unsigned char limits_js[] = {
#embed "web/limits.js"
};
static const unsigned char live_js[] = {
#embed "web/live.js"
};
static const unsigned char notices_js[] = {
#embed "web/notices.js"
};
static const unsigned char operations_js[] = {
#embed "web/operations.js"
};
static const unsigned char page_css[] = {
#embed "web/page.css"
};
static const unsigned char page_html[] = {
#embed "web/page.html"
};
static const unsigned char page_js[] = {
#embed "web/page.js"
};
static const unsigned char parts_js[] = {
#embed "web/parts.js"
};
static const unsigned char patch_js[] = {
#embed "web/patch.js"
};
static const unsigned char source_js[] = {
#embed "web/source.js"
};
static const unsigned char states_js[] = {
#embed "web/states.js"
};
static const unsigned char table_js[] = {
#embed "web/table.js"
};
static const unsigned char theme_js[] = {
#embed "web/theme.js"
};
static const unsigned char view_js[] = {
#embed "web/view.js"
};
static const unsigned char words_js[] = {
#embed "web/words.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof(bytes)}

static const struct page_file files[] = {
    FILE_OF("actions.js", actions_js),
    FILE_OF("api.js", api_js),
    FILE_OF("clock.js", clock_js),
    FILE_OF("dialog.js", dialog_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("forecast.js", forecast_js),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("limits.js", limits_js),
    FILE_OF("live.js", live_js),
    FILE_OF("notices.js", notices_js),
    FILE_OF("operations.js", operations_js),
    FILE_OF("page.css", page_css),
    FILE_OF("page.html", page_html),
    FILE_OF("page.js", page_js),
    FILE_OF("parts.js", parts_js),
    FILE_OF("patch.js", patch_js),
    FILE_OF("source.js", source_js),
    FILE_OF("states.js", states_js),
    FILE_OF("table.js", table_js),
    FILE_OF("theme.js", theme_js),
    FILE_OF("view.js", view_js),
    FILE_OF("words.js", words_js),
};

struct page_file page_file_at(size_t index) {
  struct page_file none = {0};
  return index < sizeof(files) / sizeof(files[0]) ? files[index] : none;
}
