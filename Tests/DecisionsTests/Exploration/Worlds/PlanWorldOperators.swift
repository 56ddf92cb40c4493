@testable import Decisions
@testable import JobModel

// What comes of what an operator does, and of customers.

extension PlanWorld {
  mutating func stop(_ gates: GateChoice) {
    counts.stops += 1
    isStopAsked = true
    if phase == .running {
      finish(.stopped)
    } else {
      for entry in unfinished where entry.run == run && entry.job.isEvent && entry.job.state == .held {
        if let index = jobs.firstIndex(of: entry) { keepAgain(index) }
      }
    }
    if phase != .failed { phase = .stopped }
    openGates(gates == .open)
    areGatesOpened = gates == .open
    if gates == .cancel { cancelCustomers() }
  }

  mutating func cancel(_ index: Int) {
    counts.cancels += 1
    end(index, .cancelled, PlanWorld.cancelled)
  }

  /// A held job has another turn from now on.
  mutating func move(_ index: Int, to rank: Int) {
    counts.moves += 1
    jobs[index].job.rank = rank
    jobs[index].wasMoved = true
    // Whatever kept the plan from going back may have another rank now.
    if jobs[index].run == run, setting.off != .lookAgain { advance() }
  }
}

// MARK: - A reset

extension PlanWorld {
  /// It goes through everything that is there now, one job after the other.
  mutating func beginReset() {
    wasReset = true
    reset = Reset(upTo: run, isClosing: unfinished.contains { $0.job.state == .held })
    for index in jobs.indices where !jobs[index].job.state.isFinal { jobs[index].isToReset = true }
  }

  mutating func goOnWithReset() {
    guard let upTo = reset?.upTo else { return }
    if let index = jobs.firstIndex(where: \.isToReset) { reset(index, upTo) }
    if !jobs.contains(where: \.isToReset) { reset = nil }
  }

  private mutating func reset(_ index: Int, _ upTo: Int) {
    let (id, of) = (jobs[index].job.id, jobs[index].run)
    jobs[index].isToReset = false
    let isPlan = of == run && phase == .running && (of <= upTo || setting.off == .earlierRuns)
    if isPlan {
      if of > upTo { wrong = "a reset stopped a run that began after it" }
      isStopAsked = true
      finish(.stopped)
    }
    guard let index = jobs.firstIndex(where: { $0.job.id == id && !$0.job.state.isFinal }) else { return }
    if !isPlan || setting.off != .wholeReset { end(index, .cancelled, PlanWorld.cancelled) }
    if !jobs[index].job.state.isFinal { wrong = "a reset left a job behind" }
  }
}

// MARK: - Gates

extension PlanWorld {
  /// As the ledger has it; the department follows.
  mutating func openGates(_ areOpen: Bool) {
    areGatesOpen = areOpen
    applyGates()
  }

  mutating func applyGates() {
    let isShut = !areGatesOpen && !setting.rules.gates.isEmpty && setting.off != .gate
    counter.closures = isShut ? [.gated("plan")] : []
  }

  mutating func receiveCustomer() {
    counts.customers += 1
    if counter.takeAtOnce(.normal) == nil {
      counter.count(1, .room, .normal)
    } else {
      wrong = wrong ?? problemOfServing
    }
  }

  mutating func serve() {
    wrong = wrong ?? problemOfServing
    _ = counter.take(.normal, heldFor: .room)
  }

  private mutating func cancelCustomers() {
    counter.count(-counter.readyCount, .room, .normal)
    while counter.releasedCount > 0 { counter.give(.shared, .normal) }
  }
}
