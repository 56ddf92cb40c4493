/// A mistake in the settings of a process.
package struct Mistake: Hashable, Sendable {
  /// The line of the file, from 1; nil: the mistake is not in the file, and the text says where it is.
  package let line: Int?
  /// What is wrong, and what to do, on one line.
  package let problem: String
}

/// The mistakes that were found, in the order of their lines: the first of them, and how many there are.
package struct Mistakes: Hashable, Sendable {
  /// How many mistakes are kept and shown. A file may have hundreds of thousands.
  package static let shown = 100

  /// The first mistakes.
  package private(set) var first: [Mistake] = []
  /// The number of all mistakes.
  package private(set) var count = 0
  /// The number of mistakes beside these, in keys that this process does not use.
  package private(set) var inUnusedKeys = 0

  /// Notes a mistake. Mistakes of the same line keep the order in which they are found; a mistake without a line comes after
  /// all others. The text is made only for a mistake that is kept.
  mutating func note(line: Int?, _ problem: @autoclosure () -> String) {
    count += 1
    let place = first.firstIndex { ($0.line ?? .max) > (line ?? .max) } ?? first.endIndex
    guard place < Mistakes.shown else { return }
    first.insert(Mistake(line: line, problem: problem()), at: place)
    if first.count > Mistakes.shown { first.removeLast() }
  }

  /// Reads all keys and counts the mistakes, less the known ones, which are in the keys that this process uses. Nothing else of
  /// them is kept.
  mutating func count(besides known: Int, _ body: (inout Mistakes) -> Void) {
    var mistakes = Mistakes()
    body(&mistakes)
    inUnusedKeys += max(0, mistakes.count - known)
  }
}

/// Settings that cannot be used.
package struct WrongSettings: Error, Hashable {
  /// The file that was read; nil: none was.
  package let file: String?
  /// At least one.
  package let mistakes: Mistakes

  /// A line for each mistake that is shown, and a last line for the others.
  package var lines: [String] {
    let more = mistakes.count - mistakes.first.count
    return mistakes.first.map(text) + (more > 0 ? ["and \(more) more"] : [])
  }

  /// How many mistakes there are, and where.
  package var summary: String {
    let count = mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"
    return "\(count) in \(file ?? "the settings")"
  }

  private func text(_ mistake: Mistake) -> String {
    guard let file, let line = mistake.line else { return mistake.problem }
    return "\(file):\(line): \(mistake.problem)"
  }
}

extension WrongSettings: CustomStringConvertible {
  /// One line: the first mistake, and how many more there are.
  package var description: String {
    let first = mistakes.first.first.map(text) ?? summary
    return mistakes.count > 1 ? "\(first) (the first of \(summary); `teller config check` shows all)" : first
  }
}
