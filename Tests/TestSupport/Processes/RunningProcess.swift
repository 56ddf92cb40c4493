package import Foundation
import Synchronization

/// A real process under test. Its output is captured as lines, its waits are driven by signals, and it does not outlive
/// the test process, however that ends.
package final class RunningProcess: Sendable {
  /// What ends the process together with the test process.
  package enum Ending: Sendable {
    /// It is killed.
    case killed
    /// It sees the end of its standard input and cleans up behind itself.
    case inputCloses
  }

  /// Its process id.
  package let pid: pid_t
  let record: ProcessRecord
  private let input: ProcessInput
  private let ending: Ending

  private init(pid: pid_t, record: ProcessRecord, input: ProcessInput, ending: Ending) {
    self.pid = pid
    self.record = record
    self.input = input
    self.ending = ending
  }

  deinit { end() }

  /// Starts a process. It inherits nothing but its three standard streams.
  /// - Parameters:
  ///   - executable: its file.
  ///   - arguments: what it is called with, its name not included.
  ///   - environment: added to the environment of the test process; what it names wins.
  ///   - workingDirectory: the test process's own by default.
  ///   - ending: what ends it together with the test process.
  /// - Returns: the process, started.
  /// - Throws: what the system says when the process cannot be started.
  package static func launch(
    _ executable: URL, arguments: [String] = [], environment: [String: String] = [:], workingDirectory: URL? = nil,
    ending: Ending = .killed
  ) throws -> RunningProcess {
    // What a failure names: `teller` alone could be any of its commands.
    let record = ProcessRecord(name: ([executable.lastPathComponent] + arguments.prefix(1)).joined(separator: " "))
    let reaper = ending == .killed ? try ProcessReaper.shared : nil
    let input = try ProcessInput()
    let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    let (pid, output, errors) = try Spawning.turn.withLock { _ -> (pid_t, Pipe, Pipe) in
      let (output, errors) = (Pipe(), Pipe())
      let descriptors = [input.childEnd, output.fileHandleForWriting, errors.fileHandleForWriting]
      let pid = try Spawning.spawn(
        executable.path, arguments: arguments, environment: variables, workingDirectory: workingDirectory?.path,
        descriptors: descriptors.map(\.fileDescriptor))
      return (pid, output, errors)
    }
    reaper?.add(pid)
    for end in [input.childEnd, output.fileHandleForWriting, errors.fileHandleForWriting] { try? end.close() }
    capture(output, as: .standardOutput, in: record)
    capture(errors, as: .standardError, in: record)
    Thread.detachNewThread { Spawning.await(pid) { record.exited($0) } }
    return RunningProcess(pid: pid, record: record, input: input, ending: ending)
  }

  /// A thread of its own for each stream: it ends with the stream, and no event loop outlives a descriptor.
  private static func capture(_ pipe: Pipe, as stream: OutputStream, in record: ProcessRecord) {
    let reading = pipe.fileHandleForReading
    Thread.detachNewThread {
      // The pipe owns the descriptor.
      withExtendedLifetime(pipe) {
        while case let data = reading.availableData, !data.isEmpty { record.wrote(data, on: stream) }
        record.closed(stream)
      }
    }
  }

  // MARK: Output

  /// All lines so far (the newest 20,000), both streams in the order in which they came.
  package var lines: [OutputLine] { record.lines(since: 0) }

  /// The text of all lines so far of one stream.
  package func text(of stream: OutputStream) -> [String] { lines.filter { $0.stream == stream }.map(\.text) }

  /// The number that its next line will have: pass it to `waitForLine` to see only what comes from now on.
  package var nextLineNumber: Int { record.nextLine }

  /// Waits for a line that contains a text, on either stream.
  /// - Parameters:
  ///   - text: what the line contains.
  ///   - number: earlier lines do not count; by default all do, those already written too.
  ///   - limit: how long.
  /// - Returns: the whole line.
  /// - Throws: `TimeLimitExceeded`, or `ProcessEnded` when the process has ended without such a line; both with its
  ///   last lines.
  @discardableResult
  package func waitForLine(containing text: String, since number: Int = 0, within limit: Duration) async throws
    -> String
  {
    try await record.line(since: number, named: "a line that contains \"\(text)\"", within: limit) {
      $0.text.contains(text)
    }.text
  }

  /// Waits for a line that one text does not describe.
  /// - Parameters:
  ///   - what: the line, as it shall stand in the failure.
  ///   - number: earlier lines do not count; by default all do, those already written too.
  ///   - limit: how long.
  ///   - test: whether a line is the one, by its text.
  /// - Returns: the whole line.
  /// - Throws: like `waitForLine(containing:since:within:)`.
  @discardableResult
  package func waitForLine(
    named what: String, since number: Int = 0, within limit: Duration, where test: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    try await record.line(since: number, named: what, within: limit) { test($0.text) }.text
  }

  // MARK: Input

  /// Writes to its standard input.
  /// - Throws: `POSIXError` when it does not read it any more.
  package func write(_ text: String) throws { try input.write(Array(text.utf8)) }

  /// Ends its standard input.
  package func closeInput() { input.close() }

  // MARK: End

  /// Its exit status if it has ended: 128 + N when signal N ended it.
  package var exitStatus: Int32? { record.status }

  /// What a process has written may be read long after its end. Spent only when somebody else holds its output open.
  private static let outputLimit: Duration = patience

  /// Waits until it has ended and its output is complete.
  /// - Returns: its exit status, 128 + N when signal N ended it.
  /// - Throws: `TimeLimitExceeded` with its last lines.
  @discardableResult
  package func waitForExit(within limit: Duration) async throws -> Int32 {
    let status = try await record.exit(within: limit)
    await record.endOfOutput(within: Self.outputLimit)
    return status
  }

  /// Sends it a signal: SIGTERM, SIGKILL, SIGSTOP, SIGCONT. Nothing happens when it has ended.
  package func signal(_ signal: Int32) {
    guard record.status == nil else { return }
    _ = kill(pid, signal)
  }

  /// Ends it now and waits until it is gone: killed, or by the end of its input, as it was started.
  /// - Throws: `TimeLimitExceeded` when it does not end.
  package func close(within limit: Duration = patience) async throws {
    end()
    try await waitForExit(within: limit)
  }

  private func end() {
    input.close()
    guard ending == .killed else { return }
    signal(SIGKILL)
    (try? ProcessReaper.shared)?.remove(pid)
  }
}
