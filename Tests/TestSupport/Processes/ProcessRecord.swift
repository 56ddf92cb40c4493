import Synchronization

/// What is known of a process: its lines so far, its exit, and who waits for which of them. It is told, never asks.
final class ProcessRecord: Sendable {
  typealias Test = @Sendable (OutputLine) -> Bool

  private struct State {
    var captured = CapturedLines()
    var openStreams: Set<OutputStream> = [.standardOutput, .standardError]
    var status: Int32?
    var lineWaits: [Int: (test: Test, arrival: Arrival<OutputLine>)] = [:]
    var exitWaits: [Int: Arrival<Int32>] = [:]
    var endWaits: [Int: Arrival<Void>] = [:]
    var waits = 0

    mutating func nextWait() -> Int {
      waits += 1
      return waits
    }
  }

  let name: String
  private let state = Mutex(State())

  init(name: String) { self.name = name }

  var status: Int32? { state.withLock { $0.status } }
  var nextLine: Int { state.withLock { $0.captured.next } }
  var tail: String { state.withLock { $0.captured.tail() } }

  func lines(since number: Int) -> [OutputLine] { state.withLock { Array($0.captured.since(number)) } }

  // MARK: What happens

  func wrote(_ bytes: some Sequence<UInt8>, on stream: OutputStream) {
    state.withLock { state in
      let new = state.captured.append(bytes, on: stream)
      Self.offer(new, to: &state)
    }
  }

  func closed(_ stream: OutputStream) {
    state.withLock { state in
      let new = state.captured.finish(stream)
      Self.offer(new, to: &state)
      state.openStreams.remove(stream)
      Self.endIfOver(&state, name: name)
    }
  }

  func exited(_ status: Int32) {
    state.withLock { state in
      state.status = status
      for arrival in state.exitWaits.values { arrival.arrive(.success(status)) }
      state.exitWaits = [:]
      Self.endIfOver(&state, name: name)
    }
  }

  private static func offer(_ lines: [OutputLine], to state: inout State) {
    for line in lines {
      for (number, wait) in state.lineWaits where wait.test(line) {
        wait.arrival.arrive(.success(line))
        state.lineWaits[number] = nil
      }
    }
  }

  /// After its exit and the end of its output nothing more can come.
  private static func endIfOver(_ state: inout State, name: String) {
    guard let status = state.status, state.openStreams.isEmpty else { return }
    let over = ProcessEnded(process: name, status: status, output: state.captured.tail())
    for wait in state.lineWaits.values { wait.arrival.arrive(.failure(over)) }
    for arrival in state.endWaits.values { arrival.arrive(.success(())) }
    state.lineWaits = [:]
    state.endWaits = [:]
  }

  // MARK: Who waits

  func line(since number: Int, named what: String, within limit: Duration, where test: @escaping Test) async throws
    -> OutputLine
  {
    let arrival = Arrival<OutputLine>()
    let wait = state.withLock { state -> Int in
      let wait = state.nextWait()
      if let line = state.captured.since(number).first(where: test) {
        arrival.arrive(.success(line))
      } else {
        state.lineWaits[wait] = (test, arrival)
        Self.endIfOver(&state, name: name)
      }
      return wait
    }
    defer { state.withLock { $0.lineWaits[wait] = nil } }
    return try await arrival.value(within: limit) { [self] in
      TimeLimitExceeded(name: "\(name): \(what)", limit: limit, lastState: tail)
    }
  }

  func exit(within limit: Duration) async throws -> Int32 {
    let arrival = Arrival<Int32>()
    let wait = state.withLock { state -> Int in
      let wait = state.nextWait()
      if let status = state.status { arrival.arrive(.success(status)) } else { state.exitWaits[wait] = arrival }
      return wait
    }
    defer { state.withLock { $0.exitWaits[wait] = nil } }
    return try await arrival.value(within: limit) { [self] in
      TimeLimitExceeded(name: "\(name) to exit", limit: limit, lastState: tail)
    }
  }

  /// Waits until the output has come to its end too, but not for long: a grandchild may hold it open.
  func endOfOutput(within limit: Duration) async {
    let arrival = Arrival<Void>()
    let wait = state.withLock { state -> Int in
      let wait = state.nextWait()
      state.endWaits[wait] = arrival
      Self.endIfOver(&state, name: name)
      return wait
    }
    defer { state.withLock { $0.endWaits[wait] = nil } }
    try? await arrival.value(within: limit) { CancellationError() }
  }
}

/// A process ended before it wrote what was waited for.
package struct ProcessEnded: Error, CustomStringConvertible {
  /// The name of its executable.
  package let process: String
  /// Its exit status, 128 + N when signal N ended it.
  package let status: Int32
  /// Its last lines.
  package let output: String

  package var description: String { "\(process) ended with status \(status). Its last lines:\n\(output)" }
}
