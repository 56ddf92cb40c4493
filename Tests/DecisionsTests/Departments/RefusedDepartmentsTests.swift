import JobModel
import Testing

@testable import Decisions

/// Refused departments whose changes are calls, so that they can be expected.
private final class Box {
  private var departments = RefusedDepartments()

  func refuse(_ department: Department, because reason: String, isSoon: Bool = false, at now: Duration) -> Bool {
    departments.refuse(department, because: reason, isSoon: isSoon, at: now)
  }
  func noteStillRefused(_ department: Department, at now: Duration) {
    departments.noteStillRefused(department, at: now)
  }
  func accept(_ department: Department, at now: Duration) -> Bool { departments.accept(department, at: now) }
  func due(at now: Duration) -> [Department] { departments.due(at: now) }
  func since(_ department: Department) -> Duration? { departments.since(department) }
  var reasons: [Department: String] { departments.reasons }
}

@Suite("Departments that the broker refuses")
struct RefusedDepartmentsTests {
  @Test("are looked at again ever more slowly, and are news once for each reason")
  func backsOff() {
    let refused = Box()
    var now: Duration = .zero
    var waits: [Duration] = []
    for round in 0..<10 {
      #expect(refused.refuse("work", because: "r", at: now) == (round == 0))
      let asked = now
      while refused.due(at: now).isEmpty { now += .seconds(1) }
      waits.append(now - asked)
    }
    #expect(waits.first == RefusedDepartments.firstWait && waits.last == RefusedDepartments.longestWait)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(refused.refuse("work", because: "another", at: now) == true)
    #expect(refused.reasons == ["work": "another"] && refused.since("work") == .zero)
  }

  @Test("keep their reason when a look fails, and are looked at again after the next wait")
  func failedLook() {
    let refused = Box()
    refused.noteStillRefused("work", at: .zero)
    #expect(refused.reasons.isEmpty, "it was not refused")
    _ = refused.refuse("work", because: "406", at: .zero)
    refused.noteStillRefused("work", at: RefusedDepartments.firstWait)
    #expect(refused.reasons == ["work": "406"] && refused.due(at: RefusedDepartments.firstWait).isEmpty)
    #expect(refused.due(at: RefusedDepartments.longestWait) == ["work"])
  }

  @Test("one that has not taken a message is looked at at once, but not again and again")
  func soon() {
    let refused = Box()
    _ = refused.refuse("work", because: "?", isSoon: true, at: .zero)
    #expect(refused.due(at: .zero) == ["work"])
    var last = Duration.zero
    var now = Duration.zero
    for _ in 0..<8 {
      #expect(refused.accept("work", at: now) == true)
      _ = refused.refuse("work", because: "?", isSoon: true, at: now)
      let began = now
      while refused.due(at: now).isEmpty { now += .seconds(1) }
      #expect(now - began >= last)
      last = now - began
    }
    #expect(last >= .seconds(30), "it circles slowly")
    #expect(refused.accept("work", at: now) == true)
    #expect(refused.accept("work", at: now) == false)
    #expect(refused.reasons.isEmpty)
  }

  @Test("what is known of a refusal is not forgotten for a message that was not taken")
  func keepsReason() {
    let refused = Box()
    _ = refused.refuse("work", because: "406", at: .zero)
    #expect(refused.refuse("work", because: "?", isSoon: true, at: .seconds(1)) == false)
    #expect(refused.reasons == ["work": "406"])
  }
}
