import JobModel
import Testing

@Suite("Filters of events")
struct EventFilterTests {
  private static let id = JobID()
  private let failed = Notification(
    seq: 1, job: id, kind: "login", department: "front", event: "failed", attempt: 1, at: .init(milliseconds: 1),
    error: JobFailure(code: "timeout", message: "late"), plan: "opening", name: "log in", key: "ada")
  private let paused = Notification(seq: 2, department: "front", event: "paused", at: .init(milliseconds: 1))

  @Test(
    "an event passes each member that names what it has",
    arguments: [
      EventFilter(), EventFilter(events: ["failed", "cancelled"]), EventFilter(departments: ["front"]),
      EventFilter(kinds: ["login"]), EventFilter(jobs: [id]), EventFilter(plans: ["opening"]),
      EventFilter(names: ["log in"]), EventFilter(keys: ["ada"]), EventFilter(errors: ["timeout"]),
      EventFilter(exceptKinds: ["other"], exceptDepartments: ["back"]),
      EventFilter(events: ["failed"], departments: ["front"], kinds: ["login"], keys: ["ada", "bob"]),
    ])
  func passes(_ filter: EventFilter) { #expect(filter.passes(failed)) }

  @Test(
    "an event does not pass a member that names something else",
    arguments: [
      EventFilter(events: ["succeeded"]), EventFilter(departments: ["back"]), EventFilter(kinds: ["logout"]),
      EventFilter(jobs: [JobID()]), EventFilter(plans: ["closing"]), EventFilter(names: ["log out"]),
      EventFilter(keys: ["bob"]), EventFilter(errors: ["poison"]), EventFilter(exceptKinds: ["login"]),
      EventFilter(exceptDepartments: ["front"]), EventFilter(events: ["failed"], kinds: ["logout"]),
    ])
  func isHeldBack(_ filter: EventFilter) { #expect(!filter.passes(failed)) }

  @Test("an event passes no member that names what it does not have")
  func without() {
    #expect(EventFilter(events: ["paused"], departments: ["front"]).passes(paused))
    for filter in [
      EventFilter(kinds: ["login"]), EventFilter(jobs: [Self.id]), EventFilter(plans: ["opening"]),
      EventFilter(keys: ["ada"]), EventFilter(errors: ["timeout"]), EventFilter(names: ["log in"]),
    ] { #expect(!filter.passes(paused)) }
    #expect(EventFilter(exceptKinds: ["login"]).passes(paused))
  }
}
