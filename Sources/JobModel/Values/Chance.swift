/// Where random numbers come from. What is decided gets them as values, or this: the generator of the process, or one that a
/// seed makes, which gives the same numbers again.
package struct Chance: RandomNumberGenerator, Sendable {
  private let draw: @Sendable () -> UInt64

  package init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  package func next() -> UInt64 { draw() }

  /// A number of 0...1.
  package var fraction: Double {
    var generator = self
    return .random(in: 0...1, using: &generator)
  }

  /// The generator of the process.
  package static let system = Chance { UInt64.random(in: .min ... .max) }
}
