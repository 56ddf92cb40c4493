import ArgumentParser
import Foundation
import JobModel
import Synchronization

/// When the output has colours, as an argument.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

/// A meaning that has a colour.
enum Style {
  /// Red: a failed job, a lost broker, a stuck worker, an error.
  case bad
  /// Green: a job that runs.
  case good
  /// Yellow: a job that is held, a department that is paused.
  case warning

  fileprivate var code: Int {
    switch self {
    case .bad: 31
    case .good: 32
    case .warning: 33
    }
  }
}

/// The colours of one output: standard output's, or standard error's.
struct Colors: Hashable, Sendable {
  let isOn: Bool

  /// The text in the colour of a meaning; as it is when colours are off, and without a meaning.
  func paint(_ text: String, _ style: Style?) -> String {
    guard isOn, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style.code)m\(text)\(Colors.reset)"
  }

  static let reset = "\u{1B}[0m"
  static let off = Colors(isOn: false)

  /// Whether an output has colours.
  ///
  /// | choice | colours |
  /// |---|---|
  /// | always | yes |
  /// | never | no |
  /// | auto | on a terminal, unless `NO_COLOR` is set and not empty, or `TERM` is `dumb` |
  init(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String]) {
    let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
    isOn = choice == .always || choice == .auto && isTerminal && !isPlain
  }

  private init(isOn: Bool) { self.isOn = isOn }
}

extension Colors {
  private static let choice = Mutex(ColorChoice.auto)

  /// Notes the choice of the command line; once, before anything is printed. The arguments are read here and not by the
  /// parser: the error of a command line that the parser refuses has a colour, too.
  static func choose(_ arguments: [String]) {
    let options = arguments.prefix { $0 != "--" }
    let behind = options.firstIndex(of: "--color").map { options[options.index(after: $0)...].first ?? "" }
    let joined = options.first { $0.hasPrefix("--color=") }?.dropFirst("--color=".count)
    let word = behind ?? joined.map(String.init)
    if let found = word.flatMap({ ColorChoice(rawValue: $0) }) { choice.withLock { $0 = found } }
  }

  /// The colours of standard output.
  static var output: Colors { of(STDOUT_FILENO) }
  /// The colours of standard error.
  static var errors: Colors { of(STDERR_FILENO) }

  private static func of(_ descriptor: Int32) -> Colors {
    Colors(
      choice.withLock { $0 }, isTerminal: isatty(descriptor) == 1, environment: ProcessInfo.processInfo.environment)
  }
}

/// The option of every command that prints something.
struct ColorOptions: ParsableArguments {
  @Option(
    help: "Colours: auto (on a terminal, unless NO_COLOR is set or TERM is dumb), always or never.")
  var color = ColorChoice.auto
}

extension JobState {
  /// Nil: the state has no colour.
  var style: Style? {
    switch self {
    case .failed: .bad
    case .running: .good
    case .held: .warning
    case .queued, .succeeded, .cancelled: nil
    }
  }
}
