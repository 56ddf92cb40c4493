/// What somebody may have meant who wrote a name that is not known.
package enum Suggestion {
  /// The longest name that is looked at, in characters: the work grows with the square.
  private static let longest = 100

  /// The known name that is nearest to `text`, upper and lower case being the same.
  ///
  /// Nearest counts letters that are added, left out, changed, or swapped with their neighbour. Two such slips are
  /// forgiven, in a long name one for every three letters, but never more than half of the letters: something of the
  /// name must be left.
  /// - Returns: Nil when nothing is near enough, or two are equally near.
  package static func nearest(to text: String, in known: some Sequence<String>) -> String? {
    let letters = Array(text.lowercased())
    guard letters.count <= longest else { return nil }
    let limit = min(max(2, letters.count / 3), letters.count / 2)
    var best: (name: String, slips: Int)?
    var isUnique = true
    for name in Set(known) {
      let other = Array(name.lowercased())
      guard abs(other.count - letters.count) <= limit else { continue }
      let slips = slips(from: letters, to: other)
      guard slips <= min(limit, best?.slips ?? limit) else { continue }
      isUnique = best?.slips != slips
      best = (name, slips)
    }
    return isUnique ? best?.name : nil
  }

  /// The nearest known name as a part of an error, such as `; did you mean "deposit"?`; empty when there is none.
  package static func question(for text: String, in known: some Sequence<String>) -> String {
    nearest(to: text, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
  }

  /// The fewest slips that turn one name into the other.
  static func slips(from: [Character], to: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...to.count)
    for (row, letter) in from.enumerated() {
      var current = [row + 1]
      for (column, other) in to.enumerated() {
        var slips = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
          slips = min(slips, beforeLast[column - 1] + 1)
        }
        current.append(slips)
      }
      (beforeLast, last) = (last, current)
    }
    return last[to.count]
  }
}
