import Decisions
package import JobModel
import JobTransport
import Ledger

/// The commands about many jobs that go on, in the order in which they were given. While a command cancels the jobs
/// that a department held, the department is closed: else these jobs would run until the command has come to them.
final class OpenOperations {
  /// The most that go on at once.
  static let limit = 100

  private(set) var list: [OperationRecord] = []
  /// The last reset that has ended; nil: none has, since the process began.
  private(set) var lastReset: OperationRecord?
  private let departments: Departments

  init(_ departments: Departments) { self.departments = departments }

  var isFull: Bool { !hasPlaces(for: 1) }

  func hasPlaces(for count: Int) -> Bool { list.count + count <= OpenOperations.limit }

  func reload(_ operations: [OperationRecord]) {
    (list, lastReset) = ([], nil)
    for operation in operations { begin(operation) }
  }

  func begin(_ operation: OperationRecord) {
    list.append(operation)
    for department in cleared(by: operation) { departments.close(department, for: .clearing(operation.id)) }
  }

  /// The first command has made a step. If the command has ended, the departments that it closed open again.
  func stepped(_ operation: OperationRecord) {
    list[0] = operation
    guard operation.finishedAt != nil else { return }
    list.removeFirst()
    if operation.action == .reset { lastReset = operation }
    departments.openAll(from: .clearing(operation.id))
  }

  /// The departments in which a command cancels all held jobs.
  private func cleared(by operation: OperationRecord) -> [Department] {
    guard operation.action.isCancelling, operation.kind == nil, operation.narrowing.isEmpty else { return [] }
    return departments.books.filter { department, books in
      (operation.department == nil || department == operation.department) && books.heldCount > 0
    }.map(\.key)
  }
}

extension OperationRecord.Action {
  var isCancelling: Bool { self == .cancel || self == .reset }
}

extension JobOperation {
  init(_ record: OperationRecord, by clock: LedgerClock) {
    self.init(
      id: record.id, action: JobOperation.Action(rawValue: record.action.rawValue), department: record.department,
      kind: record.kind, filter: record.narrowing.isEmpty ? nil : record.narrowing, key: record.key, by: record.author,
      changed: record.changed, looked: record.looked, total: record.total,
      startedAt: clock.wallTime(of: record.startedAt), finishedAt: record.finishedAt.map(clock.wallTime))
  }
}

extension JobFailure {
  package static func tooManyOperations() -> JobFailure {
    JobFailure(
      code: Code.busy, message: "\(OpenOperations.limit) commands about many jobs go on already; ask again later")
  }
}
