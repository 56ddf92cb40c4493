import Processes

/// A connection to the ledger takes none of the last descriptors.
struct TooFewDescriptors: Error {
  let left: Int

  /// The log and its index, which SQLite opens with the first statement. The file itself is open by then.
  private static let needed = 2

  static func check(_ left: Int = Descriptors.left.count) throws(TooFewDescriptors) {
    guard left >= needed + Descriptors.last else { throw TooFewDescriptors(left: left) }
  }
}
