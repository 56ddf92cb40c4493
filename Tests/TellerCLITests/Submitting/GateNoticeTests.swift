import JobModel
import Testing

@testable import TellerCLI

@Suite("The line about a job that waits for a plan")
struct GateNoticeTests {
  private let job = JobID()

  private func line(_ state: JobState, _ reasons: JobExplanation.Reason...) -> String? {
    GateNotice.line(
      JobExplanation(job: job, state: state, kind: "deposit", department: "deposit", reasons: reasons))
  }

  private let paused = JobExplanation.Reason(
    hold: .paused, text: "its department is paused", lifts: "`teller resume a`")
  private let gate = JobExplanation.Reason(
    hold: .gate, text: "it waits for\na plan", lifts: "`teller plan start opening`")

  @Test("is one line, and names the command that lifts the hold")
  func held() {
    #expect(
      line(.held, paused, gate) == "held: job \(job): it waits for a plan; what lifts it: `teller plan start opening`")
  }

  @Test("is there for a job that waits for one that nobody has submitted, and not for other jobs that wait for jobs")
  func unsubmitted() {
    let after = JobExplanation.Reason(hold: .after, text: "it waits for 1 other job")
    let unknown = JobExplanation.Reason(
      hold: .after, text: "1 of those was not submitted yet", lifts: "its submission", until: Timestamp(milliseconds: 1)
    )
    #expect(line(.held, after) == nil)
    #expect(
      line(.held, after, unknown)
        == "held: job \(job): 1 of those was not submitted yet; what lifts it: its submission")
  }

  @Test("is not there for a job that nothing holds, or something else does")
  func others() {
    #expect(line(.held, paused) == nil)
    #expect(line(.queued, gate) == nil)
    #expect(line(.succeeded) == nil)
  }
}
