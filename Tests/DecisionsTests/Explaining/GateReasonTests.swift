import JobModel
import Testing

@testable import Decisions

@Suite("The reason of a job behind a gate")
struct GateReasonTests {
  private func reason(_ gate: Explanation.Gate) -> JobExplanation.Reason? { reason([gate]) }

  private func reason(_ gates: [Explanation.Gate]) -> JobExplanation.Reason? {
    let job = Job(
      number: 1, id: JobID(), kind: "deposit", department: "work", priority: 4, progress: JobProgress(maxAttempts: 3),
      acceptedAt: .noon)
    let books = DepartmentBooks(isOrdered: false, window: 10)
    var explanation = Explanation(job: job, live: nil, books: books, now: .noon, isConfigured: true)
    explanation.gates = gates
    return explanation.document.reasons.first
  }

  private static let stop = "`teller plan stop opening --gates open`"

  @Test(
    "names the start of a plan of the file, and the command that serves the department without the plan",
    arguments: [(.notStarted, "has not been started"), (.failed, "has failed"), (.stopped, "was stopped")]
      as [(PlanPhase, String)])
  func configured(phase: PlanPhase, standing: String) {
    let reason = reason(Explanation.Gate("opening", phase, isConfigured: true))
    #expect(reason?.hold == .gate && reason?.lifts == "`teller plan start opening`")
    #expect(
      reason?.text == "its department waits until plan \"opening\" is open, which \(standing); "
        + "\(Self.stop) serves it without the plan")
  }

  @Test("does not have a submitted plan started by its name", arguments: [PlanPhase.failed, .stopped])
  func submitted(phase: PlanPhase) {
    let reason = reason(Explanation.Gate("opening", phase, isConfigured: false))
    #expect(reason?.lifts == Self.stop)
    #expect(reason?.text.contains("submit it again") == true && reason?.text.contains("plan start") == false)
  }

  @Test("of a plan that runs is its end, whoever has the plan", arguments: [true, false])
  func running(isConfigured: Bool) {
    let reason = reason(Explanation.Gate("opening", .running, isConfigured: isConfigured))
    #expect(reason?.text == "its department waits until plan \"opening\" is open, which runs")
    #expect(reason?.lifts?.hasSuffix("`teller plan show opening`") == true)
  }

  @Test("names all plans that the department waits for, up to some, and says that one command ends one wait")
  func several() {
    let first = Explanation.Gate("a", .stopped, isConfigured: true)
    let others = (1...7).map { Explanation.Gate(PlanName("b\($0)") ?? "b", .running, isConfigured: true) }
    let text = reason([first] + others)?.text ?? ""
    #expect(
      text.contains("plan \"a\" is open, which was stopped, and for plan \"b1\", which runs, and for plan \"b2\""))
    #expect(text.contains("plan \"b5\", which runs, and for 2 more; "))
    #expect(text.hasSuffix("`teller plan stop a --gates open` ends the wait for that plan alone"))
  }
}
