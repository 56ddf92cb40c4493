import JobModel
import Testing

@testable import Teller

@Suite("The tellers of a worker that serve queues of kinds")
struct WorkerKindQueuesTests {
  @Test(
    "tellers that serve the queue of a kind are taken from the department's, and never more are consumed for in all")
  func beside() {
    let tellers = ObservedTellers(["deposit": 4])
    #expect(tellers.steps() == ["+4"])
    tellers.staff(beside: ["greet": 1])
    #expect(tellers.steps() == ["-", "+3", "+1 greet"], "cancelled first")
    tellers.staff(beside: ["greet": 9])
    #expect(tellers.steps() == ["-", "+3 greet"])
    tellers.staff(paused: ["deposit"], beside: ["greet": 1])
    #expect(tellers.steps() == ["-", "-"])
    tellers.staff()
    #expect(tellers.steps() == ["+4"] && tellers.unattended.isEmpty)
  }

  @Test("a busy teller changes its queue when it is free, and until then nothing is delivered in its place")
  func besideWhileBusy() {
    let tellers = ObservedTellers(["deposit": 2])
    #expect(tellers.steps() == ["+2"])
    let jobs = [delivery(1), delivery(2)]
    for job in jobs { #expect(tellers.take(job)) }
    tellers.staff(beside: ["greet": 1])
    #expect(tellers.steps() == ["-"], "both are busy with what the consumer that went has delivered")
    tellers.free(jobs[0])
    #expect(tellers.unattended == ["deposit"] && tellers.steps() == ["+1 greet"])
    tellers.free(jobs[1])
    #expect(tellers.unattended == ["deposit"] && tellers.steps() == ["+1"])
  }

  @Test("the queue of a kind that the broker refuses is left out alone, and its tellers serve the department's own")
  func refused() {
    let tellers = ObservedTellers(["deposit": 4])
    let greet = JobQueue("deposit", kind: "greet")
    tellers.staff(beside: ["greet": 3, "wave": 1])
    #expect(tellers.steps() == ["+3 greet", "+1 wave"])
    tellers.setRefused(greet, true)
    // The refusal has ended the connection.
    tellers.disconnected()
    #expect(tellers.steps() == ["+3", "+1 wave"])
    #expect(tellers.refusedBeside == [greet] && tellers.unattended.isEmpty)
    tellers.staff(paused: ["deposit"], beside: ["greet": 3, "wave": 1])
    #expect(tellers.refusedBeside.isEmpty && tellers.steps() == ["-", "-"])
    tellers.staff(beside: ["wave": 1])
    #expect(tellers.refusedBeside.isEmpty && tellers.steps() == ["+3", "+1 wave"])
    tellers.setRefused(greet, false)
    tellers.staff(beside: ["greet": 3, "wave": 1])
    #expect(tellers.refusedBeside.isEmpty && tellers.steps() == ["-", "+3 greet"])
  }

  @Test("a department whose own queue the broker refuses consumes nothing, until the broker takes it back")
  func refusedDepartment() {
    let tellers = ObservedTellers(["deposit": 2, "loan": 1])
    tellers.staff(beside: ["greet": 1])
    tellers.setRefused(JobQueue("deposit"), true)
    #expect(tellers.steps() == ["+1"] && tellers.unattended == ["deposit"])
    tellers.setRefused(JobQueue("deposit"), false)
    #expect(tellers.steps() == ["+1", "+1 greet"] && tellers.unattended.isEmpty)
  }
}
