/// A change of something that many look at, such as a page, with its number and the version that it was made from.
public struct OrderedUpdate<Change: Sendable>: Sendable {
  /// The place among all updates: each is one more than the one before.
  public var number: Int64
  /// The version that the change was made from: the number of the last update that was applied there. Nil: the change holds
  /// for any version, such as a price that is set and not raised.
  public var madeFrom: Int64?
  /// The change.
  public var change: Change

  /// An update.
  public init(number: Int64, madeFrom: Int64?, _ change: Change) {
    (self.number, self.madeFrom, self.change) = (number, madeFrom, change)
  }
}

extension OrderedUpdate: Equatable where Change: Equatable {}
extension OrderedUpdate: Hashable where Change: Hashable {}
extension OrderedUpdate: Encodable where Change: Encodable {}
extension OrderedUpdate: Decodable where Change: Decodable {}
