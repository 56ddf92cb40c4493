@testable import Decisions
@testable import JobModel

// What can happen.

extension PlanWorld {
  typealias Move = (step: String, world: PlanWorld)

  func next() -> [Move] {
    starts + releases + ends + drops + operatorsMoves + cancels + moves + resets + eventMoves + customersMoves
  }

  private func after(_ step: String, _ change: (inout PlanWorld) -> Void) -> Move {
    var world = self
    change(&world)
    return (step, world)
  }

  private var starts: [Move] {
    guard phase.mayStart, run < setting.runs else { return [] }
    return [after("start") { $0.start() }]
  }

  /// The jobs that the department may release now: those of the first group, if no other group is released.
  private var releases: [Move] {
    let held = jobs.indices.filter { jobs[$0].job.state == .held }
    let (books, groups) = (desk, held.map { jobs[$0].group })
    guard books.isOpen, let first = groups.min(by: { ($0.plan, $0.rank) < ($1.plan, $1.rank) }),
      books.mayJoin(first) || setting.off == .oneGroup
    else { return [] }
    return held.filter { jobs[$0].group == first }.map { index in
      after("release \(jobs[index].job.name)") { world in
        world.wrong = world.wrong ?? world.problem(ofReleasing: first)
        (world.jobs[index].isReleased, world.jobs[index].wasReleased) = (true, true)
        world.jobs[index].job.state = .queued
      }
    }
  }

  /// The books of the plan's department, as its jobs stand.
  private var desk: DepartmentBooks {
    var books = DepartmentBooks(isOrdered: true, window: 0)
    if isPaused { books.closures.insert(.paused) }
    if reset?.isClosing == true { books.closures.insert(.clearing(1)) }
    for group in released.map(\.group) + (setting.off == .void ? [] : void) {
      _ = books.takeRegardless(.normal)
      books.join(group)
    }
    return books
  }

  private var ends: [Move] {
    jobs.indices.flatMap { index -> [Move] in
      let (entry, rule) = (jobs[index], rule(of: jobs[index]))
      var ends: [Move] = []
      if rule?.startWithin != nil, !entry.job.state.isFinal, !entry.hasBegun {
        ends.append(after("\(entry.job.name) comes too late") { $0.end(index, .failed, "too_late") })
      }
      guard entry.isReleased else { return ends }
      ends.append(after("\(entry.job.name) succeeds") { $0.end(index, .succeeded, nil) })
      ends.append(after("\(entry.job.name) fails") { $0.end(index, .failed, "x") })
      if let code = rule?.reentry?.code {
        ends.append(after("\(entry.job.name) goes back") { $0.end(index, .failed, code) })
      }
      if counts.retries < setting.retries {
        ends.append(after("\(entry.job.name) tries again") { $0.tryAgain(index) })
      }
      return ends
    }
  }

  private func rule(of entry: Entry) -> PlanRules.Step? {
    entry.job.isEvent ? nil : setting.rules.step(entry.job.name)
  }

  /// A worker drops what was cancelled, or ends its run of it.
  private var drops: [Move] {
    void.indices.map { index in after("drop rank \(void[index].rank)") { $0.void.remove(at: index) } }
  }

  private var eventMoves: [Move] {
    var moves: [Move] = []
    if events.count < setting.events { moves.append(after("event") { $0.receive() }) }
    for index in events.indices where events[index].state == .announced {
      moves.append(after("accept") { $0.decide(index, isAccepted: true) })
    }
    for index in events.indices where [.announced, .kept].contains(events[index].state) {
      moves.append(after("dismiss") { $0.events[index].state = .dismissed })
    }
    return moves
  }
}

// MARK: - What an operator does

extension PlanWorld {
  private var operatorsMoves: [Move] {
    var moves: [Move] = []
    if counts.stops < setting.stopLimit {
      moves += setting.stops.map { gates in after("stop, \(gates.rawValue)") { $0.stop(gates) } }
    }
    guard setting.canPause else { return moves }
    if isPaused { moves.append(after("resume") { $0.isPaused = false }) }
    if counts.pauses == 0 {
      moves.append(
        after("pause") {
          $0.isPaused = true
          $0.counts.pauses += 1
        })
    }
    return moves
  }

  private var cancels: [Move] {
    guard counts.cancels < setting.cancels else { return [] }
    return jobs.indices.filter { !jobs[$0].job.state.isFinal }.map { index in
      after("cancel \(jobs[index].job.name)") { $0.cancel(index) }
    }
  }

  private var moves: [Move] {
    guard counts.moves < setting.moves else { return [] }
    return jobs.indices.filter { jobs[$0].job.state == .held }.flatMap { index in
      setting.ranks.filter { $0 != jobs[index].job.rank }.map { rank in
        after("move \(jobs[index].job.name) to \(rank)") { $0.move(index, to: rank) }
      }
    }
  }

  private var resets: [Move] {
    if reset != nil { return [after("reset goes on") { $0.goOnWithReset() }] }
    guard setting.canReset, !wasReset, !unfinished.isEmpty else { return [] }
    return [after("reset") { $0.beginReset() }]
  }
}

// MARK: - What customers do

extension PlanWorld {
  private var customersMoves: [Move] {
    var moves: [Move] = []
    if counts.customers < setting.customers { moves.append(after("customer") { $0.receiveCustomer() }) }
    if counter.hasRoomForReady { moves.append(after("serve") { $0.serve() }) }
    if counter.releasedCount > 0 { moves.append(after("customer ends") { $0.counter.give(.shared, .normal) }) }
    return moves
  }
}
