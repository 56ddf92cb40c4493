import JobModel
import TestSupport

/// Boards and actions with every member that there is.
extension SeededRandom {
  mutating func author() -> CommandAuthor { CommandAuthor(by: OperatorName("ada@example.com"), user: name()) }

  mutating func action() -> OperatorAction {
    let author = author()
    return OperatorAction(
      number: Int64(count()), action: "rerank", at: time(), by: author.by, user: author.user, job: job(),
      department: department(), kind: kind(), name: text(), detail: text(), operation: 7)
  }

  mutating func board() -> Board {
    Board(
      at: time(), ledger: ledger(), epoch: count(), through: Int64(count()), counted: Int64(count()),
      coordinator: coordinatorStatus(), broker: BrokerStatus(state: .blocked),
      workers: count(), operations: [operation()], lastReset: operation(), departments: [departmentBoard()])
  }

  private mutating func departmentBoard() -> DepartmentBoard {
    DepartmentBoard(
      status: departmentStatus(), forecast: forecast(), busySince: time(), lastBusy: (time(), time()),
      waiting: [waitingRow()], running: [runningRow()])
  }

  private mutating func forecast() -> DepartmentForecast {
    let courses: [DepartmentForecast.Course] = [.silent, .idle, .drains, .grows, .steady]
    let reasons: [DepartmentForecast.Silence] = [.fewSamples, .noTellers, .blocked, .closed]
    var forecast = DepartmentForecast(
      course: courses.randomElement(using: &self) ?? .idle, reason: reasons.randomElement(using: &self),
      samples: count(), acceptedPerHour: count(), capacityPerHour: count(), loadPermille: count(),
      growsPerHour: count(), past: ForecastErrors(count: 3, medianPermille: count(), worstPermille: count()))
    (forecast.drainsIn, forecast.drainsInWithOneMore) = (.milliseconds(count()), .milliseconds(count()))
    (forecast.wait, forecast.waitWithOneMore) = (.milliseconds(count()), .milliseconds(count()))
    forecast.emptiesIn = .milliseconds(count())
    return forecast
  }

  private mutating func waitingRow() -> WaitingRow {
    WaitingRow(
      id: job(), number: Int64(count()), kind: kind(), priority: priority(), rank: count(), key: key().text,
      step: text(), since: time(), isReleased: chance(), hold: .window)
  }

  private mutating func runningRow() -> RunningRow {
    var progress = RunProgress(0.5, text())
    progress.heardAt = time()
    return RunningRow(
      id: job(), number: Int64(count()), kind: kind(), priority: priority(), key: key().text, step: text(), attempt: 2,
      worker: worker(), workerName: text(), startedAt: time(), progress: progress)
  }
}
