import JobModel
import Logging
import NIOCore
import Teller

/// Serves all streams of live news by one reader of the notification stream, and by at most two questions a second to the
/// coordinator. While nobody looks there are neither.
actor Hub {
  private let source: any HubSource
  private let version: String
  private let logger: Logger
  private var desk: HubDesk
  private var board: BoardBytes?
  /// Fulfilled when a stream that waits may have something to send.
  private var waiting: [HubDesk.ViewerID: OneShot<Void>] = [:]
  /// The last messages of events, by the numbers of the events.
  private var messages: [(numbers: Range<Int>, bytes: ByteBuffer)] = []
  private var work: [Task<Void, Never>] = []
  private var isEnded = false
  /// Whether the log has said that the notification stream is not read.
  private var hasToldLoss = false

  init(_ source: any HubSource, version: String, logger: Logger, firstBoard: Duration = HubLimits.firstBoard) {
    (self.source, self.version, self.logger) = (source, version, logger)
    desk = HubDesk(now: .now(), firstBoard: firstBoard)
  }

  /// How many streams there are.
  var viewers: Int { desk.viewers.count }
  /// The last recorded event that was taken in.
  var lastTold: EventPosition? { desk.supply.ring.last }
  /// Whether the notification stream is read, and the coordinator asked.
  var isAtWork: Bool { !work.isEmpty }

  // MARK: Streams

  /// Begins a stream. Whoever begins one closes it.
  ///
  /// - Returns: nil when the page is about to end.
  func open(_ departments: [Department], after position: EventPosition?) -> HubDesk.ViewerID? {
    if isEnded { return nil }
    let id = desk.open(departments, after: position, now: .now)
    begin()
    ask()
    return id
  }

  func close(_ id: HubDesk.ViewerID) {
    desk.close(id, now: .now)
    waiting.removeValue(forKey: id)?.fulfil(.success(()))
  }

  /// The next message of a stream; waits until there is one.
  ///
  /// - Returns: nil when the page is about to end.
  /// - Throws: `CancellationError`.
  func next(_ id: HubDesk.ViewerID) async throws -> ByteBuffer? {
    while !isEnded {
      try Task.checkCancellation()
      if let delivery = desk.take(for: id, now: .now) {
        if let message = message(delivery, for: id) { return message }
        continue
      }
      let signal = OneShot<Void>()
      waiting[id] = signal
      try await signal.value
    }
    return nil
  }

  /// Ends all streams, and begins none any more.
  func end() {
    isEnded = true
    rest()
    wakeAll()
  }

  /// Something was changed by the page: the next board is asked for soon.
  func changed() { desk.changed() }

  private func wakeAll() {
    let signals = waiting.values
    waiting = [:]
    for signal in signals { signal.fulfil(.success(())) }
  }

  // MARK: Messages

  /// Nil: there is nothing to say.
  private func message(_ delivery: Viewer.Delivery, for id: HubDesk.ViewerID) -> ByteBuffer? {
    switch delivery {
    case .picture:
      LiveMessage.picture(boardJSON(for: id), stateJSON, version: version, id: desk.supply.place)
    case .board: boardJSON(for: id).map { LiveMessage.make("board", $0) }
    case .events(let numbers, let floor): events(numbers, floor)
    case .skipped(let count): LiveMessage.make("skipped", Array(#"{"events":\#(count)}"#.utf8))
    case .state: LiveMessage.make("state", stateJSON)
    case .beat: LiveMessage.make("beat", Array(#"{"at_ms":\#(Timestamp.now().milliseconds)}"#.utf8))
    }
  }

  private func boardJSON(for id: HubDesk.ViewerID) -> [UInt8]? {
    guard let departments = desk.viewers[id]?.departments else { return nil }
    return try? board?.json(rowsOf: departments)
  }

  private var stateJSON: [UInt8] {
    let document = PageState.Document(
      state: desk.state.level, reason: desk.state.reason, sinceMs: desk.stateSince.milliseconds)
    return (try? PrintedJSON.bytes(document)) ?? Array("{}".utf8)
  }

  /// Most streams are to get the same.
  private func events(_ numbers: Range<Int>, _ floor: EventPosition?) -> ByteBuffer? {
    if floor == nil, let known = messages.first(where: { $0.numbers == numbers }) { return known.bytes }
    let made = LiveMessage.events(desk.supply.ring.entries(numbers), floor: floor)
    if floor == nil, let made { messages = [(numbers, made)] + messages.prefix(HubLimits.madeMessages - 1) }
    return made
  }

  // MARK: Work

  private func begin() {
    guard work.isEmpty else { return }
    work = [
      Task { await readEvents() },
      Task {
        while !Task.isCancelled {
          tick()
          try? await Task.sleep(for: HubLimits.tick)
        }
      },
    ]
  }

  private func rest() {
    for task in work { task.cancel() }
    work = []
    messages = []
    desk.end()
  }

  private func tick() {
    let tick = desk.tick(source.standing, now: .now, moment: .now())
    if tick.isOver { return rest() }
    if tick.wakes { wakeAll() }
    ask()
  }

  /// Asks for a board when one is due. Not more than one question is under way.
  private func ask() {
    guard let question = desk.questionDue(now: .now) else { return }
    let sets = Set(desk.viewers.values.map(\.departments))
    Task.detached { [source] in
      do {
        let board = try await source.board(of: question.departments, rows: HubLimits.rows)
        await self.answered(question.number, by: try BoardBytes(board, for: sets))
      } catch {
        await self.failed(question.number, PageProblem(error))
      }
    }
  }

  private func answered(_ number: Int, by bytes: BoardBytes) {
    guard desk.answered(number, by: bytes.board) else { return }
    board = bytes
    tick()
    wakeAll()
  }

  private func failed(_ number: Int, _ problem: PageProblem) {
    desk.failed(number, problem)
    tick()
  }

  // MARK: Events

  private func readEvents() async {
    while !Task.isCancelled {
      do {
        let start = desk.resumption.map { EventStart.after($0) } ?? .now
        try await source.read(since: start, began: { await self.began() }) { event in
          // Made here, and not by the hub, which has all streams to serve.
          if let json = try? PrintedJSON.bytes(EventLine(event)) {
            await self.take(EventRing.Entry(position: event.position, json: json))
          }
        }
      } catch is CancellationError {
        return
      } catch {
        lost(error)
      }
      try? await Task.sleep(for: HubLimits.readingPause)
    }
  }

  private func began() {
    if Task.isCancelled { return }
    hasToldLoss = false
    desk.began(now: .now)
  }

  private func take(_ entry: EventRing.Entry) {
    // Of a reader whose time is over.
    if Task.isCancelled { return }
    switch desk.take(entry, now: .now) {
    case .known: break
    case .now: wakeAll()
    case .at(let moment):
      Task {
        try? await Task.sleep(until: moment)
        desk.release(now: .now)
        wakeAll()
      }
    }
  }

  private func lost(_ error: any Error) {
    if !hasToldLoss { logger.notice("the notification stream is not read on", metadata: ["reason": "\(error)"]) }
    hasToldLoss = true
    if case TellerError.eventsMissing = error { return desk.missed() }
    // The reading goes on behind the last event, if there was one.
    if desk.resumption == nil { desk.missed() }
  }
}
