import JobModel
import Testing

@testable import Hosting

@Suite("What waits for a service")
struct CallQueueTests {
  private let now = ContinuousClock.now

  private func job(_ number: Int) -> HostCall {
    .jobStarted(HostedJob(kind: "deposit", department: "work", attempt: number))
  }

  private func event(_ name: EventName) -> EventStatus {
    EventStatus(
      id: JobID(), name: name, plan: "day", state: .kept, department: "work", kind: "push", receivedAt: .now(),
      decidedAt: nil)
  }

  private func limits(jobs: Int = 3, events: Int = 2) -> ServiceLimits {
    var limits = ServiceLimits()
    (limits.jobs, limits.events, limits.lifeCalls, limits.hanging) = (jobs, events, 8, .seconds(10))
    return limits
  }

  /// Everything that is told from now on.
  private func rest(of queue: inout CallQueue) -> [HostCall] {
    var calls: [HostCall] = []
    while let call = queue.next(at: now).call { calls.append(call) }
    return calls
  }

  @Test("is told one after the other, in the order of the posts; the first post begins the telling")
  func order() {
    var queue = CallQueue(limits())
    #expect(queue.isIdle)
    #expect(queue.post(.life(.started)).begin == .now)
    let job = job(1)
    #expect(queue.post(job).begin == .no)
    #expect(!queue.isIdle)
    #expect(rest(of: &queue) == [.life(.started), job])
    #expect(queue.isIdle)
    #expect(queue.post(.life(.opened)).begin == .now)
  }

  @Test("a call about a job waits a moment for further ones, unless many wait, or something else is to be told")
  func gathering() {
    var queue = CallQueue(limits(jobs: 6))
    let first = (1...3).map { queue.post(job($0)).begin }
    #expect(first == [.soon, .no, .no])
    #expect(!queue.isIdle)
    let begins = [queue.gathered(), queue.gathered()]
    #expect(begins == [true, false])
    #expect(queue.post(job(4)).begin == .no, "it is being told")
    _ = rest(of: &queue)
    let half = (1...4).map { queue.post(job($0)).begin }
    #expect(half == [.soon, .no, .no, .now], "half full")
    var isBegun = queue.gathered()
    #expect(!isBegun, "it was begun before")
    _ = rest(of: &queue)
    #expect(queue.post(job(1)).begin == .soon)
    let event = event("a")
    #expect(queue.post(.received(event)).begin == .now)
    isBegun = queue.gathered()
    #expect(!isBegun)
    #expect(rest(of: &queue).count == 2)
  }

  @Test("of too many calls about jobs the oldest is dropped; that is told once, and counted")
  func fullOfJobs() {
    var queue = CallQueue(limits())
    let jobs = (1...6).map(job)
    let posted = jobs.map { queue.post($0) }
    #expect(posted.map(\.isFull) == [false, false, false, true, false, false])
    var (told, step) = ([HostCall](), queue.next(at: now))
    while let call = step.call {
      #expect(step.dropped == 0, "told when it has caught up")
      told.append(call)
      step = queue.next(at: now)
    }
    #expect(told == Array(jobs.suffix(3)) && step.dropped == 3)
    #expect(queue.next(at: now).dropped == 0)
    for job in jobs.prefix(3) { #expect(!queue.post(job).isFull) }
    #expect(queue.post(jobs[3]).isFull, "full anew")
  }

  @Test("events have room of their own, and each that is dropped is named")
  func fullOfEvents() {
    var queue = CallQueue(limits())
    let events = ["a", "b", "c"].map { event($0) }
    let jobs = (1...9).map(job)
    for job in jobs { _ = queue.post(job) }
    let lost = events.map { queue.post(.received($0)).lost }
    #expect(lost == [nil, nil, events[0]])
    #expect(rest(of: &queue) == jobs.suffix(3) + [.received(events[1]), .received(events[2])])
  }

  @Test("the calls of the life cycle are kept, however much waits")
  func lifeIsKept() {
    var queue = CallQueue(limits())
    _ = queue.post(.life(.started))
    for number in 1...50 { _ = queue.post(job(number)) }
    _ = queue.post(.life(.opened))
    for number in 51...100 { _ = queue.post(job(number)) }
    for call in [LifeCall.draining, .stopped] { _ = queue.post(.life(call)) }
    let told = rest(of: &queue)
    #expect(told.first == .life(.started) && told.suffix(2) == [.life(.draining), .life(.stopped)])
    #expect(told.count == 4 + 3)
  }

  @Test(
    "of many pauses only the last ones are told, and each has its beginning before its end", arguments: [false, true])
  func pauses(isPausedAlready: Bool) {
    var queue = CallQueue(limits())
    for call in [LifeCall.started, .opened] + (isPausedAlready ? [.paused] : []) { _ = queue.post(.life(call)) }
    if isPausedAlready { _ = rest(of: &queue) }
    var next = isPausedAlready ? LifeCall.resumed : .paused
    for _ in 1...201 {
      _ = queue.post(.life(next))
      next = next == .paused ? .resumed : .paused
    }
    let told = rest(of: &queue)
    #expect(told.count <= 8)
    #expect(told.last == .life(isPausedAlready ? .resumed : .paused), "the present state")
    for (one, other) in zip(told, told.dropFirst()) { #expect(one != other) }
  }

  @Test("stopped is the last call")
  func stopped() {
    var queue = CallQueue(limits())
    _ = queue.post(.life(.stopped))
    #expect(queue.post(job(1)) == CallQueue.Posted())
    #expect(queue.post(.life(.resumed)) == CallQueue.Posted())
    #expect(rest(of: &queue) == [.life(.stopped)])
  }

  @Test("a call is overdue once, after the limit; its end says how long it took")
  func overdue() {
    var queue = CallQueue(limits())
    _ = queue.post(.life(.started))
    _ = queue.post(.life(.opened))
    #expect(queue.overdue(at: now + .seconds(99)) == nil, "nothing is told yet")
    _ = queue.next(at: now)
    #expect(queue.overdue(at: now + .seconds(9)) == nil)
    #expect(queue.overdue(at: now + .seconds(10)) == .life(.started))
    #expect(queue.overdue(at: now + .seconds(20)) == nil)
    let next = queue.next(at: now + .seconds(30))
    #expect(next.returned == CallQueue.Late(call: .life(.started), time: .seconds(30)))
    #expect(queue.overdue(at: now + .seconds(31)) == nil)
    #expect(queue.next(at: now + .seconds(31)).returned == nil)
  }

  @Test("a service that is to hurry is told the rest of the life cycle, and what was dropped is counted and named")
  func hurry() {
    var queue = CallQueue(limits())
    let lost = event("a")
    _ = queue.post(.life(.opened))
    for number in 1...5 { _ = queue.post(job(number)) }
    _ = queue.post(.received(lost))
    _ = queue.post(.life(.draining))
    #expect(queue.hurry() == CallQueue.Hurried(jobs: 5, events: [lost]))
    _ = queue.post(.life(.stopped))
    #expect(rest(of: &queue) == [.life(.opened), .life(.draining), .life(.stopped)])
  }
}
