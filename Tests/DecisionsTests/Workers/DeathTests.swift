import Testing

@testable import Decisions
@testable import JobModel

@Suite("The death of a worker")
struct DeathTests {
  private let one = JobID()
  private let two = JobID()
  private let three = JobID()

  @Test("says nothing of two jobs that ran side by side for the first time")
  func company() {
    let death = Death(of: [one: 0, two: 1], tellers: 2, hadOthers: false)
    #expect(death.culprit == nil)
    #expect([one, two].map { death.blame(on: $0) } == [.inCompany, .inCompany])
  }

  @Test("is charged to the only suspect that ran there, when all beside it ran for the first time")
  func onlySuspect() {
    let death = Death(of: [one: 2, two: 0, three: 0], tellers: 6, hadOthers: false)
    #expect([one, two, three].map { death.blame(on: $0) } == [.alone, .inCompany, .inCompany])
  }

  @Test("is charged to nobody when another one there had been running at a death before", arguments: [1, 2, 5])
  func twoSuspicious(deaths: Int) {
    #expect(Death(of: [one: 2, two: deaths, three: 0], tellers: 6, hadOthers: false).culprit == nil)
  }

  @Test("is charged to nobody when no suspect ran there")
  func noSuspect() {
    #expect(Death(of: [one: 1, two: 0], tellers: 6, hadOthers: false).culprit == nil)
  }

  @Test("is charged to the job of a worker with one teller, and to no other job that is no suspect yet")
  func oneTeller() {
    #expect(Death(of: [one: 0], tellers: 1, hadOthers: false).culprit == one)
    #expect(Death(of: [one: 0], tellers: 2, hadOthers: false).culprit == nil)
    // The report of the other one was not confirmed yet.
    #expect(Death(of: [one: 0, two: 0], tellers: 1, hadOthers: false).culprit == nil)
  }

  @Test("is charged to nobody when a job ran there whose outcome is recorded: one that was cancelled and did not stop")
  func cancelled() {
    #expect(Death(of: [one: 2, two: 0], tellers: 6, hadOthers: true).culprit == nil)
    #expect(Death(of: [one: 0], tellers: 1, hadOthers: true).culprit == nil)
  }

  @Test("of a worker that ran nothing is charged to nobody")
  func idle() {
    #expect(Death(of: [:], tellers: 1, hadOthers: false).culprit == nil)
  }
}

@Suite("Suspects that are released")
struct SuspectsTests {
  private let one = JobID()
  private let two = JobID()
  private let first = WorkerID("first")
  private let second = WorkerID("second")

  @Test("the next of a department waits for the one that is released")
  func oneOfDepartment() {
    var suspects = Suspects()
    #expect(suspects.obstacle(to: "work", servedBy: [first]) == nil)
    suspects.put(one, of: "work", .queued)
    #expect(suspects.obstacle(to: "work", servedBy: [first]) != nil)
    #expect(suspects.obstacle(to: "other", servedBy: [first]) == nil)
  }

  @Test("one of another department waits while one runs in a worker that serves both, or nobody knows where")
  func otherDepartment() {
    var suspects = Suspects()
    suspects.put(one, of: "work", .started(on: first))
    #expect(suspects.obstacle(to: "other", servedBy: [first, second]) != nil)
    #expect(suspects.obstacle(to: "other", servedBy: [second]) == nil)
    suspects.put(one, of: "work", .started(on: nil))
    #expect(suspects.obstacle(to: "other", servedBy: [second]) != nil)
  }

  @Test("the next of a department waits for what was running at one death, too, where that may run beside it")
  func company() {
    var suspects = Suspects()
    suspects.put(one, of: "work", company: [first], .queued)
    #expect(suspects.obstacle(to: "work", servedBy: [first]) != nil)
    #expect(suspects.obstacle(to: "other", servedBy: [first, second]) != nil)
    #expect(suspects.obstacle(to: "other", servedBy: [second]) == nil)
    suspects.put(one, of: "other", company: [first, second], .started(on: first))
    #expect(suspects.obstacle(to: "work", servedBy: [first, second]) != nil)
    #expect(suspects.obstacle(to: "work", servedBy: [second]) == nil)
    #expect(suspects.obstacle(to: "work", servedBy: [first]) == .company)
    suspects.put(two, of: "work", .queued)
    #expect(suspects.obstacle(to: "work", servedBy: [first]) == .suspect)
    // It is released already: to send it back would help nobody.
    #expect(suspects.mayStart(two, on: first))
  }

  @Test("no two start in one worker")
  func oneInWorker() {
    var suspects = Suspects()
    suspects.put(one, of: "work", .started(on: first))
    suspects.put(two, of: "other", .queued)
    #expect(!suspects.mayStart(two, on: first))
    #expect(suspects.mayStart(two, on: second))
    #expect(suspects.mayStart(one, on: first))
    suspects.put(one, of: "work", .started(on: nil))
    #expect(!suspects.mayStart(two, on: second))
    suspects.put(one, of: "work", .queued)
    #expect(suspects.mayStart(two, on: first))
  }
}
