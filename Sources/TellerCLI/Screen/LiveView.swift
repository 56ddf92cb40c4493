import ArgumentParser
import CoordinatorSettings
import Foundation
import JobModel
import JobTransport
import Teller
import UnixSignals

/// The options of a command that can show its answer again and again.
struct WatchOptions: ParsableArguments {
  /// The pause between two questions.
  static let limits = Duration.milliseconds(100)...Duration.seconds(3_600)
  static let usualInterval: Duration = .seconds(2)

  @Flag(name: .shortAndLong, help: "Show the answer again and again, until Ctrl-C.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "The time from one question of --watch to the next, 100ms–1h. (default: \(WatchOptions.usualInterval.written))",
      valueName: "duration"))
  var interval: DurationArgument?

  /// The time between two questions.
  var pause: Duration { interval?.duration ?? WatchOptions.usualInterval }

  func validate() throws {
    guard let interval else { return }
    if !watch { throw ValidationError("--interval is for --watch.") }
    guard WatchOptions.limits.contains(interval.duration) else { throw ValidationError("--interval is 100ms–1h.") }
  }

  /// What `--watch` does, for the help of each such command.
  static let help = """
    --watch asks again every two seconds, or every --interval. Ctrl-C ends the command with exit code 130. On a terminal \
    each answer is drawn in the place of the last one, and is cut to the terminal's size. In a pipe each answer follows the \
    last one, with a line for the time before it. When the broker or the coordinator does not answer, a line tells the \
    reason, and the command asks again.
    """
}

/// An answer that a command shows again and again, until Ctrl-C.
struct LiveView<Answer: Encodable & Sendable>: Sendable {
  /// How long one question waits for its answer: a person shall see soon that there is none.
  static var patience: Duration { .seconds(2) }

  /// The signals that end a view. SIGQUIT is Ctrl-\: without a trap it would leave the terminal on the second screen.
  private static var ends: [UnixSignal] { [.sigint, .sigterm, .sighup, .sigquit] }

  let interval: Duration
  let json: Bool
  let ask: @Sendable () async throws -> Answer
  /// The answer as lines, for a terminal of that width; nil: in a pipe.
  let lines: @Sendable (Answer, _ width: Int?) -> [String]

  private var isOnScreen: Bool { !json && TerminalSize.columns != nil }

  /// Shows answers until a signal comes, or the reader of a pipe goes away.
  ///
  /// - Throws: `Failure` with `interrupted` and without a text after a signal; the error of a question that another try
  ///   cannot help.
  func run() async throws {
    let screen = isOnScreen ? LiveScreen() : nil
    // A second signal ends the process at once: the terminal is given back at the first one.
    let (end, isInterrupted) = await StopSignals.interrupting(by: Self.ends, prepare: { screen?.end() }) {
      await Result(ofAwaiting: { () async throws(any Error) in try await shownOnPlace(of: screen) })
    }
    screen?.end()
    if isInterrupted { throw Failure(.interrupted) }
    try end.get()
  }

  private func shownOnPlace(of screen: LiveScreen?) async throws {
    guard let screen else { return try await repeated(on: nil) }
    let resized = await UnixSignalsSequence(trapping: .sigwinch)
    let suspensions = Suspension.requests()
    screen.begin()  // from here on every signal that ends or stops the process gives the terminal back
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in resized { screen.redraw() } }
      group.addTask { for await _ in suspensions { screen.away(Suspension.stop) } }
      group.addTask { try await repeated(on: screen) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func repeated(on screen: LiveScreen?) async throws {
    var silence = Silence()
    var last: Answer?
    while Output.isRead {
      let began = ContinuousClock.now
      if let answer = try await answer(silence: &silence) { last = answer }
      try Task.checkCancellation()
      if let screen {
        screen.show(picture(last, silence))
      } else {
        try printed(last, silence)
      }
      try await Task.sleep(until: began + interval)
    }
  }

  /// Nil: none has come, and another question may help.
  private func answer(silence: inout Silence) async throws -> Answer? {
    do {
      let answer = try await ask()
      silence.end()
      return answer
    } catch let error as TellerError where error.mayPass {
      silence.note(error)
      return nil
    }
  }

  /// The last answer stays below the line that says how old it is.
  private func picture(_ answer: Answer?, _ silence: Silence) -> [String] {
    let head = silence.text.map { Colors.output.paint("\($0); asking again", .bad) } ?? Moments.iso(Date())
    return [head, ""] + (answer.map { lines($0, TerminalSize.columns.map { $0 - 1 }) } ?? [])
  }

  private func printed(_ answer: Answer?, _ silence: Silence) throws {
    if let text = silence.text { return Output.note("\(text); asking again") }
    guard let answer else { return }
    if json { return try Output.json(answer) }
    ([Moments.iso(Date())] + lines(answer, nil) + [""]).forEach(Output.line)
  }
}

/// Since when no answer has come, and why.
private struct Silence {
  private var since: ContinuousClock.Instant?
  private(set) var text: String?

  mutating func end() { (since, text) = (nil, nil) }

  mutating func note(_ error: TellerError) {
    let since = since ?? .now
    self.since = since
    let time = Duration.seconds(since.duration(to: .now).components.seconds)
    text = "no answer" + (time > .zero ? " for \(time.inWords)" : "") + ": \(error.description)".onOneLine
  }
}
