import Decisions
import JobModel
import JobTransport

/// The departments of a schedule.
enum Departments {
  static let work: Department = "work"
  static let capped: Department = "capped"
  static let ahead: Department = "ahead"
  static let ordered: Department = "init"
  static let plain = [work, capped, ahead]
  /// Where the plan of the configuration runs, unless an operator moves it; and what waits until it is open.
  static let second: Department = "second"
  static let behind: Department = "behind"
  static let inOrder = [ordered, second, behind]
  static let all = plain + inOrder
  /// The webhooks of a schedule that has some, and their departments.
  static let receivers = ["chat", "till"]
  static let webhooks = receivers.compactMap(WebhookSettings.department)
}
