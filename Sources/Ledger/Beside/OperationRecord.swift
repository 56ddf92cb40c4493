package import JobModel

/// A command about so many jobs that it is carried out in steps.
package struct OperationRecord: Hashable, Sendable {
  package enum Action: String, Hashable, Sendable, CaseIterable {
    case cancel, replay, drop, reset
  }

  package var id: Int64
  package var action: Action
  /// Nil: any.
  package var department: Department?
  /// Nil: any.
  package var kind: JobKind?
  /// The last acceptance number that it is about.
  package var upTo: Int64
  /// The acceptance number up to which it has come.
  package var position: Int64
  package var changed: Int
  package var looked: Int
  /// How many it was to look at, when it was given.
  package var total: Int
  package var startedAt: Timestamp
  /// Nil while it goes on.
  package var finishedAt: Timestamp?

  package init(
    id: Int64, action: Action, department: Department?, kind: JobKind?, upTo: Int64, position: Int64, changed: Int,
    looked: Int, total: Int, startedAt: Timestamp, finishedAt: Timestamp?
  ) {
    self.id = id
    self.action = action
    self.department = department
    self.kind = kind
    self.upTo = upTo
    self.position = position
    self.changed = changed
    self.looked = looked
    self.total = total
    self.startedAt = startedAt
    self.finishedAt = finishedAt
  }
}
