/// A part of a job's id, as people write it: `01a223e3`, or `01a223e3…032c`, as the page shortens ids.
package struct JobIDPart: Hashable, Sendable {
  /// The first and the last id that begin so.
  package let first: JobID
  package let last: JobID
  /// The digits that the id ends with, in lower case and without dashes; empty: any.
  package let suffix: String

  private static let digits = 32
  /// How many digits there must be at the beginning: fewer would be a search through all jobs.
  package static let fewest = 8

  /// Nil: it is no part of an id.
  package init?(_ text: String) {
    let parts = text.replacing("...", with: "…").split(separator: "…", omittingEmptySubsequences: false)
    let pieces = parts.map { $0.filter { $0 != "-" }.lowercased() }
    guard (1...2).contains(pieces.count), pieces.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } }),
      (JobIDPart.fewest...JobIDPart.digits).contains(pieces.reduce(0) { $0 + $1.count }),
      pieces[0].count >= JobIDPart.fewest, let first = JobIDPart.id(pieces[0], "0"),
      let last = JobIDPart.id(pieces[0], "f")
    else { return nil }
    (self.first, self.last, suffix) = (first, last, pieces.count == 2 ? pieces[1] : "")
  }

  private static func id(_ start: String, _ filler: Character) -> JobID? {
    var text = start + String(repeating: filler, count: digits - start.count)
    for place in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
    return JobID(text)
  }
}
