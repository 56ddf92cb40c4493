import AMQP
import Decisions
import JobModel
import Testing

@testable import Teller

/// What a worker does about queues that the broker does not let it consume.
@Suite("The queues that the broker refuses a worker")
struct RefusedQueuesTests {
  private static let words = "ACCESS_REFUSED - read access to queue refused"
  private let refusal = AMQPError.channelClosed(code: 403, text: RefusedQueuesTests.words)
  private let work = JobQueue("work")
  private let greet = JobQueue("work", kind: "greet")

  @Test(
    "one is left out with the broker's words, and is news once",
    arguments: [AMQPError.accessRefusedCode, AMQPError.notFoundCode, AMQPError.preconditionFailedCode])
  func leftOut(code: UInt16) {
    var refused = RefusedQueues()
    for queue in [work, greet] {
      let error = AMQPError.channelClosed(code: code, text: "words of the broker")
      let first = refused.note(error, about: queue, ofDepartments: 2, at: .zero)
      #expect(first == .leaveOut(reason: "words of the broker", isNews: true))
      let second = refused.note(error, about: queue, ofDepartments: 2, at: .seconds(1))
      #expect(second == .leaveOut(reason: "words of the broker", isNews: false))
      #expect(refused.reasons[queue] == "words of the broker")
    }
  }

  @Test(
    "one that comes back by itself is left to the session, and so is a lost connection",
    arguments: [
      AMQPError.channelClosed(code: 404, text: "NOT_FOUND - queue 'q' in vhost '/' process is stopped by supervisor"),
      .channelClosed(code: 403, text: "ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use"),
      .channelClosed(code: 405, text: "RESOURCE_LOCKED"), .connectionClosed(code: 403, text: "words"),
      .connectionLost(reason: "a reason"), .timedOut(operation: "consume"),
    ])
  func leftToSession(error: AMQPError) {
    var refused = RefusedQueues()
    for queue in [work, greet] {
      let answer = refused.note(error, about: queue, ofDepartments: 2, at: .zero)
      #expect(answer == .leaveToSession)
    }
    #expect(refused.reasons.isEmpty)
  }

  @Test("the queue of the last department that is left is not left out: the set-up is wrong")
  func lastDepartment() {
    var refused = RefusedQueues()
    let only = refused.note(refusal, about: work, ofDepartments: 1, at: .zero)
    let first = refused.note(refusal, about: work, ofDepartments: 2, at: .zero)
    let last = refused.note(refusal, about: JobQueue("other"), ofDepartments: 2, at: .zero)
    #expect(only == .leaveToSession && last == .leaveToSession)
    #expect(first == .leaveOut(reason: Self.words, isNews: true))
    #expect(refused.reasons == [work: Self.words])
  }

  @Test("the queue of a kind is left out in the only department as well, and counts as no department")
  func kinds() {
    var refused = RefusedQueues()
    for kind in ["greet", "wave"] as [JobKind] {
      let answer = refused.note(refusal, about: JobQueue("work", kind: kind), ofDepartments: 1, at: .zero)
      #expect(answer == .leaveOut(reason: Self.words, isNews: true))
    }
    let own = refused.note(refusal, about: work, ofDepartments: 2, at: .zero)
    #expect(own == .leaveOut(reason: Self.words, isNews: true), "the other department is left")
  }

  @Test("each look that fails makes the next one later, and the reason stays")
  func backsOff() {
    var refused = RefusedQueues()
    _ = refused.note(refusal, about: greet, ofDepartments: 1, at: .zero)
    var now: Duration = .zero
    var waits: [Duration] = []
    for _ in 0..<10 {
      let asked = now
      while refused.due(at: now, serving: ["work": ["greet": 1]]).isEmpty { now += .seconds(1) }
      waits.append(now - asked)
      refused.noteStillRefused(greet, at: now)
    }
    #expect(waits.first == QueueRefusals<JobQueue>.firstWait && waits.last == QueueRefusals<JobQueue>.longestWait)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(refused.reasons == [greet: Self.words])
  }

  @Test("one that is accepted is no longer refused; refused again, it is news, and is looked at later than before")
  func accepted() {
    var refused = RefusedQueues()
    _ = refused.note(refusal, about: greet, ofDepartments: 1, at: .zero)
    let (accepted, again) = (refused.accept(greet, at: .seconds(2)), refused.accept(greet, at: .seconds(2)))
    #expect(accepted && !again && refused.reasons.isEmpty)
    refused.noteStillRefused(greet, at: .seconds(3))
    #expect(refused.reasons.isEmpty, "a look that ends too late changes nothing")
    let answer = refused.note(refusal, about: greet, ofDepartments: 1, at: .seconds(3))
    #expect(answer == .leaveOut(reason: Self.words, isNews: true))
    let serving: [Department: [JobKind: Int]] = ["work": ["greet": 1]]
    #expect(refused.due(at: .seconds(3) + QueueRefusals<JobQueue>.firstWait, serving: serving).isEmpty)
    #expect(refused.due(at: .seconds(3) + QueueRefusals<JobQueue>.firstWait * 2, serving: serving) == [greet])
  }

  @Test("the queue of a kind is looked at only while the worker is to serve it; a department's own is always")
  func onlyServed() {
    var refused = RefusedQueues()
    for queue in [work, greet] { _ = refused.note(refusal, about: queue, ofDepartments: 2, at: .zero) }
    #expect(refused.due(at: .zero, serving: ["work": ["greet": 1]]).isEmpty, "not yet")
    let later = QueueRefusals<JobQueue>.firstWait
    #expect(refused.due(at: later, serving: [:]) == [work])
    #expect(refused.due(at: later, serving: ["work": ["wave": 1], "other": ["greet": 1]]) == [work])
    #expect(refused.due(at: later, serving: ["work": ["greet": 1]]) == [work, greet])
  }
}
