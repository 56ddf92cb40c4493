package import JobModel

extension DepartmentBooks {
  /// What holds a job of the department first, as far as its own row and the department say; nil: it is not held.
  package func firstHold(of job: Job) -> JobExplanation.Hold? {
    guard job.progress.state == .held else { return nil }
    switch job.hold {
    case .time where job.isRestored, .retry where job.isRestored: return .restored
    case .time: return .schedule
    case .retry: return .retry
    case .jobs: return .after
    case .handler: return .handler
    case .suspect: return .suspect
    case .room: return firstClosure ?? (isOrdered ? .order : cap == nil ? .window : .cap)
    }
  }

  private var firstClosure: JobExplanation.Hold? {
    if isUnreachable { return .department }
    if isPaused { return .paused }
    if !gates.isEmpty { return .gate }
    if closures.contains(.rolledBack) { return .epoch }
    return isOpen ? nil : .operation
  }
}
