import JobModel
import Processes
import TellerHealth

/// How many deliveries run at once where the process has too few file descriptors for as many as the file allows: each has a
/// connection of its own. The other jobs wait in their queue, for this process or another one, and it costs them no attempt.
///
/// A pure value.
struct DescriptorShare: Hashable, Sendable {
  /// While a name is looked up: the question to a name server, and a file of the system's.
  private static let ofLookUp = 3

  /// A worker's connections to the broker, and what the system's libraries open with the first tasks.
  static let ofWorker = 12

  /// How many descriptors are left, and how many there may be.
  private let left: Int
  private let limit: Int

  init(left: (count: Int, limit: Int) = Descriptors.left) { (self.left, limit) = (left.count, left.limit) }

  /// What is not for connections to so many receivers.
  private func others(_ receivers: Int) -> Int {
    Descriptors.reserve(of: limit) + ServerResources.descriptors + DescriptorShare.ofWorker
      + receivers * DescriptorShare.ofLookUp
  }

  /// How many tellers each department has: at most as many as are wanted.
  ///
  /// - Throws: ``TooFewDescriptors`` where not even one each is possible.
  func tellers(_ wanted: [Department: Int]) throws(TooFewDescriptors) -> [Department: Int] {
    let others = others(wanted.count)
    // Beyond the first one of each.
    let (room, rest) = (left - others - wanted.count, wanted.values.reduce(0) { $0 + $1 - 1 })
    if room < 0 { throw TooFewDescriptors(left: left, limit: limit, needed: others + wanted.count) }
    return wanted.mapValues { rest <= room ? $0 : 1 + ($0 - 1) * room / rest }
  }
}

/// A process has too few file descriptors for one delivery to each receiver.
package struct TooFewDescriptors: Error, Hashable, CustomStringConvertible {
  let left: Int
  let limit: Int
  let needed: Int

  package var description: String { Descriptors.tooFew((left, limit), needed: needed) }
}
