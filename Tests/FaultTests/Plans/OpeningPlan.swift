/// The plan that opens a bank, with handlers that write down their runs. Its login fails once, so that the plan goes back.
enum OpeningPlan {
  struct Step: Hashable, Sendable {
    var name: String
    var rank: Int
    /// What the payload says, as YAML.
    fileprivate var payload: String?
    /// Further keys of the step, as YAML.
    fileprivate var keys = ""
  }

  static let steps = [
    Step(name: "network check", rank: 1), Step(name: "location permission", rank: 2),
    Step(name: "user information", rank: 3),
    Step(
      name: "login", rank: 4, payload: "fails: session_expired, rounds: 1",
      keys: ", reenter: {on: session_expired, from: user information, at_most: 2}"),
    Step(name: "app version", rank: 5), Step(name: "active services", rank: 6), Step(name: "optional update", rank: 7),
    Step(name: "daily task", rank: 8),
    Step(name: "full-screen banner", rank: 9, payload: "fails: no_picture", keys: ", required: false, attempts: 1"),
  ]

  /// The step at which a start fails that says so: the first one.
  static let failing = #"{"fails": "no_network"}"#

  /// Which departments the bank has; `work` is that of every kind which says nothing else.
  static let departments = "init: {ordered: true}, deposit: {}, loan: {}, work: {}"
  static let gates = ["deposit", "loan"]

  /// The section of `teller.yaml`, with one step that waits until the test opens the gate. An event `push` is announced
  /// while the bank is open, an event `alarm` is not.
  static func configuration(waitingAt waiting: String?) -> String {
    let lines = steps.map { step in
      let members = [step.payload, step.name == waiting ? "waits: true" : nil].compactMap(\.self)
      let payload = members.isEmpty ? "" : ", payload: {\(members.joined(separator: ", "))}"
      return "      - {name: \(step.name), rank: \(step.rank), kind: step\(payload)\(step.keys)}\n"
    }
    return """
      plans:
        opening:
          department: init
          gates: [\(gates.joined(separator: ", "))]
          steps:
      \(lines.joined())\
          events:
            - {name: push, rank: 5, kind: step, when_open: announce}
            - {name: alarm, rank: 5, kind: step}

      """
  }

  /// The runs in their order, by name and round. The plan goes back once, from the login to the user information.
  static let order = [
    "network check 1", "location permission 1", "user information 1", "login 1", "user information 2", "login 2",
    "app version 1", "active services 1", "optional update 1", "daily task 1", "full-screen banner 1",
  ]

  /// The same with an event behind one of the runs.
  static func order(_ event: String, after run: String) -> [String] {
    order.flatMap { $0 == run ? [$0, event] : [$0] }
  }
}
