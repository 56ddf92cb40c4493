/// Every metric that the coordinator and a worker export, and the health server itself. The names are for dashboards and
/// alerts: they stay.
package enum MetricName: String, Sendable, CaseIterable {
  // Jobs, as the coordinator records them.
  case jobsAccepted = "teller_jobs_accepted_total"
  case submissionsRejected = "teller_submissions_rejected_total"
  case jobsEnded = "teller_jobs_ended_total"
  case attemptsFailed = "teller_attempts_failed_total"
  case jobsRetried = "teller_jobs_retried_total"
  case jobWait = "teller_job_wait_seconds"
  case jobRun = "teller_job_run_seconds"

  // How the coordinator stands.
  case jobsHeld = "teller_jobs_held"
  case jobsRetrying = "teller_jobs_retrying"
  case jobsUnsettled = "teller_jobs_unsettled"
  case jobsRestored = "teller_jobs_restored"
  case jobsQueued = "teller_jobs_queued"
  case jobsRunning = "teller_jobs_running"
  case tellers = "teller_tellers"
  case tellersStuck = "teller_tellers_stuck"
  case departmentPaused = "teller_department_paused"
  case workers = "teller_workers"
  case leasesLost = "teller_leases_lost_total"
  case reportsIgnored = "teller_reports_ignored_total"
  case deadLetters = "teller_dead_letters_total"
  case outboxUnsent = "teller_outbox_unsent"
  case ledgerCommit = "teller_ledger_commit_seconds"
  case ledgerBytes = "teller_ledger_bytes"
  case coordinatorServing = "teller_coordinator_serving"
  case brokerConnected = "teller_broker_connected"
  case brokerBlocked = "teller_broker_blocked"

  // A worker.
  case workerRunsStarted = "teller_worker_runs_started_total"
  case workerRunsEnded = "teller_worker_runs_ended_total"
  case workerRun = "teller_worker_run_seconds"
  case workerJobsInFlight = "teller_worker_jobs_in_flight"
  case workerTellers = "teller_worker_tellers"
  case workerReportsUnconfirmed = "teller_worker_reports_unconfirmed"
  case workerBrokerConnected = "teller_worker_broker_connected"

  // What keeps the metrics.
  case droppedSeries = "teller_metrics_dropped_series_total"
}

extension MetricName {
  /// What the metric says, for people.
  package var help: String {
    switch self {
    case .jobsAccepted: "Jobs that the coordinator has accepted."
    case .submissionsRejected: "Submissions that were refused, by the code of the refusal."
    case .jobsEnded: "Jobs that have ended: succeeded, failed or cancelled."
    case .attemptsFailed: "Attempts that failed, or were cut short by the death of their worker and used up."
    case .jobsRetried: "Attempts that failed after which the job is tried again."
    case .jobWait:
      "From the acceptance of a job to the start of its last attempt, with delays and back-offs; told when the job ends."
    case .jobRun: "How long the handler ran in the last attempt of a job; told when the job ends."
    case .jobsHeld: "Accepted jobs that are not released to a queue yet."
    case .jobsRetrying: "Of the held jobs: those whose attempt failed, and that wait for the next one."
    case .jobsRestored: "Of the held jobs: those that may have run before the restore of the ledger."
    case .jobsUnsettled: "Failed jobs that were neither replayed nor dropped."
    case .jobsQueued: "Released jobs that no worker is known to run."
    case .jobsRunning: "Jobs that workers run."
    case .tellers: "Tellers of all workers of a department."
    case .tellersStuck: "Of the tellers: those whose handlers were told to stop and have not."
    case .departmentPaused: "1 while an operator has paused the department, else 0."
    case .workers: "Workers that the coordinator waits for."
    case .leasesLost: "Workers that were silent for their lease, so that what they ran was taken back."
    case .reportsIgnored: "Reports that changed nothing: of a run that was replaced, or of a job that had ended."
    case .deadLetters:
      """
      Messages that the broker took off their queues, by queue and reason, and that the coordinator has taken back; of the \
      reason missing, how often a queue was gone with its messages.
      """
    case .outboxUnsent: "Notifications that are recorded and not in the stream yet; 10000 stands for as many or more."
    case .ledgerCommit: "How long it took to bring one transaction of the ledger to the disk."
    case .ledgerBytes: "The size of the ledger's file and of its log."
    case .coordinatorServing: "1 while this coordinator serves, 0 while it stands by or waits for the broker."
    case .brokerConnected: "1 while the coordinator is connected to the broker, else 0."
    case .brokerBlocked: "1 while the broker takes no messages, because it is short of memory or disk, else 0."
    case .workerRunsStarted: "Runs of jobs that the worker has started."
    case .workerRunsEnded: "Runs of jobs that have ended, by what they came to."
    case .workerRun: "How long the handler of a job ran."
    case .workerJobsInFlight: "Jobs that the worker runs now."
    case .workerTellers: "Tellers of the worker."
    case .workerReportsUnconfirmed: "Reports of the worker that the broker has not confirmed yet."
    case .workerBrokerConnected: "1 while the worker is connected to the broker and may publish, else 0."
    case .droppedSeries: "Series that were not kept on their own, because there were too many, or their name was taken."
    }
  }
}
