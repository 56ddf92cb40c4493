#include "CPage.h"

// One block for each file of `web`, and one line in the list at the end, both in the order of their names. A test holds
// that no file is left out.

static const unsigned char actions_js[] = {
#embed "web/actions.js"
};
static const unsigned char api_js[] = {
#embed "web/api.js"
};
static const unsigned char chrome_js[] = {
#embed "web/chrome.js"
};
static const unsigned char clock_js[] = {
#embed "web/clock.js"
};
static const unsigned char content_js[] = {
#embed "web/content.js"
};
static const unsigned char curve_js[] = {
#embed "web/curve.js"
};
static const unsigned char department_actions_js[] = {
#embed "web/department-actions.js"
};
static const unsigned char department_js[] = {
#embed "web/department.js"
};
static const unsigned char dialog_js[] = {
#embed "web/dialog.js"
};
static const unsigned char dom_js[] = {
#embed "web/dom.js"
};
static const unsigned char event_actions_js[] = {
#embed "web/event-actions.js"
};
static const unsigned char failed_js[] = {
#embed "web/failed.js"
};
static const unsigned char find_js[] = {
#embed "web/find.js"
};
static const unsigned char forecast_js[] = {
#embed "web/forecast.js"
};
static const unsigned char gantt_js[] = {
#embed "web/gantt.js"
};
static const unsigned char icon_svg[] = {
#embed "web/icon.svg"
};
static const unsigned char job_actions_js[] = {
#embed "web/job-actions.js"
};
static const unsigned char job_columns_js[] = {
#embed "web/job-columns.js"
};
static const unsigned char job_filters_js[] = {
#embed "web/job-filters.js"
};
static const unsigned char job_js[] = {
#embed "web/job.js"
};
static const unsigned char jobs_js[] = {
#embed "web/jobs.js"
};
static const unsigned char keys_js[] = {
#embed "web/keys.js"
};
static const unsigned char lifts_js[] = {
#embed "web/lifts.js"
};
static const unsigned char limits_js[] = {
#embed "web/limits.js"
};
static const unsigned char live_js[] = {
#embed "web/live.js"
};
static const unsigned char loading_js[] = {
#embed "web/loading.js"
};
static const unsigned char many_js[] = {
#embed "web/many.js"
};
static const unsigned char news_js[] = {
#embed "web/news.js"
};
static const unsigned char notices_js[] = {
#embed "web/notices.js"
};
static const unsigned char operations_js[] = {
#embed "web/operations.js"
};
static const unsigned char overview_js[] = {
#embed "web/overview.js"
};
static const unsigned char packing_js[] = {
#embed "web/packing.js"
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
static const unsigned char plan_actions_js[] = {
#embed "web/plan-actions.js"
};
static const unsigned char plan_js[] = {
#embed "web/plan.js"
};
static const unsigned char plans_js[] = {
#embed "web/plans.js"
};
static const unsigned char plots_js[] = {
#embed "web/plots.js"
};
static const unsigned char record_js[] = {
#embed "web/record.js"
};
static const unsigned char rejected_js[] = {
#embed "web/rejected.js"
};
static const unsigned char report_js[] = {
#embed "web/report.js"
};
static const unsigned char restored_js[] = {
#embed "web/restored.js"
};
static const unsigned char router_js[] = {
#embed "web/router.js"
};
static const unsigned char schedules_js[] = {
#embed "web/schedules.js"
};
static const unsigned char screen_js[] = {
#embed "web/screen.js"
};
static const unsigned char selection_js[] = {
#embed "web/selection.js"
};
static const unsigned char sign_in_js[] = {
#embed "web/sign-in.js"
};
static const unsigned char since_js[] = {
#embed "web/since.js"
};
static const unsigned char source_js[] = {
#embed "web/source.js"
};
static const unsigned char states_js[] = {
#embed "web/states.js"
};
static const unsigned char stream_worker_js[] = {
#embed "web/stream-worker.js"
};
static const unsigned char stream_js[] = {
#embed "web/stream.js"
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
static const unsigned char webhooks_js[] = {
#embed "web/webhooks.js"
};
static const unsigned char words_js[] = {
#embed "web/words.js"
};
static const unsigned char workers_js[] = {
#embed "web/workers.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof(bytes)}

static const struct page_file files[] = {
    FILE_OF("actions.js", actions_js),
    FILE_OF("api.js", api_js),
    FILE_OF("chrome.js", chrome_js),
    FILE_OF("clock.js", clock_js),
    FILE_OF("content.js", content_js),
    FILE_OF("curve.js", curve_js),
    FILE_OF("department-actions.js", department_actions_js),
    FILE_OF("department.js", department_js),
    FILE_OF("dialog.js", dialog_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("event-actions.js", event_actions_js),
    FILE_OF("failed.js", failed_js),
    FILE_OF("find.js", find_js),
    FILE_OF("forecast.js", forecast_js),
    FILE_OF("gantt.js", gantt_js),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("job-actions.js", job_actions_js),
    FILE_OF("job-columns.js", job_columns_js),
    FILE_OF("job-filters.js", job_filters_js),
    FILE_OF("job.js", job_js),
    FILE_OF("jobs.js", jobs_js),
    FILE_OF("keys.js", keys_js),
    FILE_OF("lifts.js", lifts_js),
    FILE_OF("limits.js", limits_js),
    FILE_OF("live.js", live_js),
    FILE_OF("loading.js", loading_js),
    FILE_OF("many.js", many_js),
    FILE_OF("news.js", news_js),
    FILE_OF("notices.js", notices_js),
    FILE_OF("operations.js", operations_js),
    FILE_OF("overview.js", overview_js),
    FILE_OF("packing.js", packing_js),
    FILE_OF("page.css", page_css),
    FILE_OF("page.html", page_html),
    FILE_OF("page.js", page_js),
    FILE_OF("parts.js", parts_js),
    FILE_OF("patch.js", patch_js),
    FILE_OF("plan-actions.js", plan_actions_js),
    FILE_OF("plan.js", plan_js),
    FILE_OF("plans.js", plans_js),
    FILE_OF("plots.js", plots_js),
    FILE_OF("record.js", record_js),
    FILE_OF("rejected.js", rejected_js),
    FILE_OF("report.js", report_js),
    FILE_OF("restored.js", restored_js),
    FILE_OF("router.js", router_js),
    FILE_OF("schedules.js", schedules_js),
    FILE_OF("screen.js", screen_js),
    FILE_OF("selection.js", selection_js),
    FILE_OF("sign-in.js", sign_in_js),
    FILE_OF("since.js", since_js),
    FILE_OF("source.js", source_js),
    FILE_OF("states.js", states_js),
    FILE_OF("stream-worker.js", stream_worker_js),
    FILE_OF("stream.js", stream_js),
    FILE_OF("table.js", table_js),
    FILE_OF("theme.js", theme_js),
    FILE_OF("view.js", view_js),
    FILE_OF("webhooks.js", webhooks_js),
    FILE_OF("words.js", words_js),
    FILE_OF("workers.js", workers_js),
};

struct page_file page_file_at(size_t index) {
  struct page_file none = {0};
  return index < sizeof(files) / sizeof(files[0]) ? files[index] : none;
}
