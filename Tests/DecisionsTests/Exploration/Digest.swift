@testable import Decisions
@testable import JobModel

/// What two equal states have in common, in 128 bits: of ten million states, two share one by chance in 10²⁴ runs.
struct Digest: Hashable {
  let first: Int
  let second: Int

  init(_ bytes: [UInt8]) {
    (first, second) = bytes.withUnsafeBytes { bytes in
      var one = Hasher()
      one.combine(bytes: bytes)
      var other = Hasher()
      other.combine(UInt8(255))
      other.combine(bytes: bytes)
      return (one.finalize(), other.finalize())
    }
  }
}

/// Writes down a world so that worlds that behave alike read alike: the two workers in either order, and numbers of
/// probes, fences and claims only by how they compare.
struct StateWriter {
  private let world: World
  /// Probe numbers that open claims wait for, ascending; an echo matters only by how many of them it reaches.
  private let probes: [Int]
  private let fences: [Int]
  /// The releases of which there is a message somewhere, or may be one again: only of them it matters whether they are
  /// void.
  private let present: Set<Int>

  static func digest(of world: World) -> Digest { Digest(StateWriter(world).write()) }

  private init(_ world: World) {
    self.world = world
    probes = world.claims?.rounds.keys.sorted() ?? []
    var fences: Set<Int> = []
    for claims in world.claims?.open.values ?? [:].values {
      for claim in claims { if case .fenced(let number) = claim.stage { fences.insert(number) } }
    }
    self.fences = fences.sorted()
    present = world.present
  }

  private func write() -> [UInt8] {
    let written = world.workers.indices.map { write(worker: $0) }
    let order = written[1].lexicographicallyPrecedes(written[0]) ? [1, 0] : [0, 1]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(192)
    writeLedger(order, &bytes)
    for index in order {
      bytes += written[index]
      bytes.append(world.welcomed[index] ? 1 : 0)
    }
    if !world.setting.operations.isEmpty { writeVoid(&bytes) }
    if world.setting.isPassing { bytes.append(mask(world.beforeLater.map(World.release))) }
    if world.setting.adopts {
      bytes.append(world.adoptedBy.map { order[0] == $0 ? 0 : 1 } ?? Mark.none)
    }
    for message in world.queue { write(message, &bytes) }
    bytes.append(Mark.end)
    for report in world.reports { write(report, order, &bytes) }
    bytes.append(Mark.end)
    writeClaims(order, &bytes)
    return bytes
  }

  private enum Mark {
    static let end: UInt8 = 255
    static let none: UInt8 = 254
  }

  private func writeLedger(_ order: [Int], _ bytes: inout [UInt8]) {
    let progress = world.progress
    bytes.append(progress.state.isFinal ? 1 : progress.state == .held ? 2 : 0)
    bytes.append(UInt8(truncatingIfNeeded: progress.release))
    bytes.append(UInt8(truncatingIfNeeded: progress.token))
    bytes.append(
      (world.isConfirmed ? 1 : 0) + (world.wasPublished ? 2 : 0) + (world.isTooLate ? 4 : 0)
        + (world.isBeside ? 8 : 0) + (world.isReturned ? 16 : 0))
    bytes.append(UInt8(truncatingIfNeeded: world.operations))
    bytes.append(UInt8(truncatingIfNeeded: world.epoch))
    bytes.append(UInt8(truncatingIfNeeded: progress.lastTaken))
    bytes.append(UInt8(truncatingIfNeeded: world.effects))
    bytes.append(UInt8(truncatingIfNeeded: world.excuses))
    bytes.append(UInt8(truncatingIfNeeded: world.faults))
    bytes.append(UInt8(truncatingIfNeeded: world.crossings))
    bytes.append(UInt8(truncatingIfNeeded: world.handBacks))
    bytes.append(UInt8(truncatingIfNeeded: world.doubts))
    if world.setting.attempts != nil {
      bytes.append(UInt8(truncatingIfNeeded: progress.attempt))
      bytes.append(UInt8(truncatingIfNeeded: progress.deaths))
      bytes.append(UInt8(truncatingIfNeeded: world.starts))
      bytes.append((progress.seenRunning ? 1 : 0) + (world.isInnocentBlamed ? 2 : 0) + (world.isStartForgotten ? 4 : 0))
      let there = world.isGranteeThere || !world.has(.unheardSince) ? world.grantee?.index : nil
      bytes.append(there.map { order[0] == $0 ? 0 : 1 } ?? Mark.none)
      bytes.append(world.begun == progress.token ? 1 : 0)
    }
    if !world.has(.numbers) { bytes.append(UInt8(truncatingIfNeeded: world.claims?.number ?? 0)) }
  }

  private func writeVoid(_ bytes: inout [UInt8]) {
    bytes.append(mask(world.voidRecords.map(World.release)))
    for (release, entry) in world.void.entries.sorted(by: { $0.key.number < $1.key.number }) {
      bytes.append(UInt8(truncatingIfNeeded: release.number))
      bytes.append((entry.purpose == .change ? 1 : 0) + (entry.isGone ? 2 : 0))
      bytes.append(UInt8(truncatingIfNeeded: entry.token))
    }
    bytes.append(Mark.end)
    if let message = world.inFlight { write(message, &bytes) }
    bytes.append(Mark.end)
  }

  /// How many open probes a number reaches. Where numbers may come again, the number itself.
  private func rank(_ number: Int) -> UInt8 {
    guard world.has(.numbers) else { return UInt8(truncatingIfNeeded: number) }
    return UInt8(truncatingIfNeeded: probes.count { $0 <= number })
  }

  private func rank(fence number: Int) -> UInt8 {
    fences.firstIndex(of: number).map { UInt8(truncatingIfNeeded: $0) } ?? Mark.none
  }
}

// MARK: - Workers

extension StateWriter {
  private func write(worker index: Int) -> [UInt8] {
    let worker = world.workers[index]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(48)
    bytes.append(
      (worker.isAlive ? 1 : 0) + (worker.isConnected ? 2 : 0) + (worker.consumes ? 4 : 0) + (worker.epoch == 0 ? 0 : 8)
        + (worker.hasConsumer ? 0 : 16) + (world.setting.lacking.contains(index) ? 32 : 0))
    bytes.append(rank(worker.tray.probe))
    bytes.append(mask(worker.lapsed.map(World.release)))
    bytes.append(mask(worker.tray.void.filter { present.contains($0.number) }))
    for (release, entry) in worker.tray.entries.sorted(by: { $0.key.number < $1.key.number }) {
      write(release, entry, worker, &bytes)
    }
    bytes.append(Mark.end)
    for item in worker.wire { write(item, worker.tray, &bytes) }
    bytes.append(Mark.end)
    for unacked in worker.unacked {
      write(unacked.message, &bytes)
      if world.setting.takesAhead { bytes.append(UInt8(truncatingIfNeeded: unacked.tag)) }
    }
    bytes.append(Mark.end)
    if world.setting.takesAhead { bytes += worker.pool.sorted().map { UInt8(truncatingIfNeeded: $0) } + [Mark.end] }
    for presence in worker.presences {
      bytes.append(rank(presence.probe))
      bytes.append(presence.asksWelcome ? 1 : 0)
      bytes.append(mask(world.listed(presence.running)))
      bytes.append(mask(world.listed(presence.running.filter(world.counts))))
      guard world.setting.takesAhead else { continue }
      bytes.append(mask(world.listed(presence.waiting)))
      bytes.append(mask(world.listed(presence.waiting.filter(world.counts))))
    }
    bytes.append(Mark.end)
    return bytes
  }

  private func write(_ release: ReleaseID, _ entry: Tray.Entry, _ worker: World.Worker, _ bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: release.number))
    switch entry.stage {
    case .waiting(let token, let mustClaim): bytes += [mustClaim ? 9 : 8, UInt8(truncatingIfNeeded: token)]
    case .claiming(let number, let token): bytes += [0, age(number, worker.tray), UInt8(truncatingIfNeeded: token)]
    case .running(let token): bytes += [1, UInt8(truncatingIfNeeded: token)]
    case .reporting(let token):
      bytes += [worker.sent.contains(release.number) ? 3 : 2, UInt8(truncatingIfNeeded: token)]
    case .dropping(let token):
      bytes += [worker.sent.contains(release.number) ? 5 : 4, 0, UInt8(truncatingIfNeeded: token)]
    case .givingBack(let token):
      bytes += [worker.sent.contains(release.number) ? 7 : 6, 0, UInt8(truncatingIfNeeded: token)]
    }
    bytes.append((entry.isAdopted ? 4 : 0) + UInt8(truncatingIfNeeded: entry.tag ?? 0))
  }

  private func write(_ item: World.WireItem, _ tray: Tray, _ bytes: inout [UInt8]) {
    switch item {
    case .delivery(let message, let tag):
      bytes.append(0)
      write(message, &bytes)
      if world.setting.takesAhead { bytes.append(UInt8(truncatingIfNeeded: tag)) }
    case .probe(let number): bytes += [1, rank(number)]
    case .answer(let release, let claim, let verdict):
      bytes += [2, UInt8(truncatingIfNeeded: release.number), age(claim, tray)]
      switch verdict {
      case .run(let token, _): bytes += [0, UInt8(truncatingIfNeeded: token)]
      case .elsewhere: bytes.append(1)
      case .drop: bytes.append(2)
      }
    case .welcome(let void, let epoch):
      bytes += [epoch == 0 ? 3 : 7, mask(void.filter(present.contains).map(World.release))]
    case .void(let numbers): bytes += [4, mask(numbers.map(World.release))]
    case .forgotten(let number): bytes += [5, UInt8(truncatingIfNeeded: number)]
    case .adopted(let number): bytes += [6, UInt8(truncatingIfNeeded: number)]
    case .consumerEnded: bytes.append(8)
    }
  }

  private func write(_ message: World.Message, _ bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: message.number))
    bytes.append(
      (message.redelivered ? 1 : 0) + (message.flagged ? 2 : 0) + (message.epoch == 0 ? 0 : 4)
        + (message.isBeside ? 8 : 0))
  }

  /// How many claims the worker has made since.
  private func age(_ claim: Int, _ tray: Tray) -> UInt8 { UInt8(truncatingIfNeeded: tray.lastClaim - claim) }

  private func mask(_ releases: some Sequence<ReleaseID>) -> UInt8 {
    releases.reduce(0) { $0 | (1 << UInt8(truncatingIfNeeded: $1.number)) }
  }
}

// MARK: - Claims

extension StateWriter {
  private func write(_ report: World.QueuedReport, _ order: [Int], _ bytes: inout [UInt8]) {
    switch report {
    case .report(let number, let token):
      bytes += [0, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: token)]
    case .claim(let request):
      bytes.append(1)
      write(request, order, &bytes)
    case .fence(let number): bytes += [2, rank(fence: number)]
    case .later: bytes.append(5)
    case .returned(let number): bytes += [6, UInt8(truncatingIfNeeded: number)]
    case .dropped(let number): bytes += [3, UInt8(truncatingIfNeeded: number)]
    case .adopt(let number, let token, let index):
      bytes += [4, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: token), order[0] == index ? 0 : 1]
    }
  }

  private func write(_ request: ClaimRequest, _ order: [Int], _ bytes: inout [UInt8]) {
    let index = request.worker == World.ids[0] ? 0 : 1
    bytes.append(order[0] == index ? 0 : 1)
    bytes.append(UInt8(truncatingIfNeeded: request.release.number))
    bytes.append(age(request.number, world.workers[index].tray))
  }

  private func writeClaims(_ order: [Int], _ bytes: inout [UInt8]) {
    guard let claims = world.claims else { return bytes.append(Mark.none) }
    for index in order {
      guard let view = claims.workers[World.ids[index]] else {
        bytes.append(Mark.none)
        continue
      }
      bytes.append(rank(view.probe))
      bytes.append(mask(view.running))
    }
    for probe in probes {
      let waitingFor = claims.rounds[probe]?.waitingFor ?? []
      for index in order { bytes.append(waitingFor.contains(World.ids[index]) ? 1 : 0) }
    }
    bytes.append(Mark.end)
    for (release, open) in claims.open.sorted(by: { $0.key.number < $1.key.number }) {
      for claim in open { write(claim, of: release, order, &bytes) }
    }
  }

  private func write(_ claim: OpenClaim, of release: ReleaseID, _ order: [Int], _ bytes: inout [UInt8]) {
    switch claim.claimant {
    case .worker(let request): write(request, order, &bytes)
    case .coordinator: bytes += [2, UInt8(truncatingIfNeeded: release.number)]
    }
    switch claim.stage {
    case .waiting: bytes.append(0)
    case .probing(let probe): bytes += [1, rank(probe)]
    case .fenced(let fence): bytes += [2, rank(fence: fence)]
    }
  }
}
