import Processes

/// Neither a ledger nor a connection to it takes any of the last descriptors.
struct TooFewDescriptors: Error {
  let left: Int

  /// The log and its index, which SQLite opens with the first statement. The file itself is open by then.
  static let ofConnection = 2
  /// The lock, and the file, with its first connection.
  static let ofLedger = 2 + ofConnection

  static func check(needed: Int = ofConnection, _ left: Int = Descriptors.left.count) throws(TooFewDescriptors) {
    guard left >= needed + Descriptors.last else { throw TooFewDescriptors(left: left) }
  }
}
