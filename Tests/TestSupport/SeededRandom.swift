import Foundation

/// Random numbers that can be had again: a property test prints its seed, and the environment variable
/// `TELLER_TEST_SEED` repeats it. (SplitMix64. Not for secrets.)
package struct SeededRandom: RandomNumberGenerator, Sendable {
  /// What to set `TELLER_TEST_SEED` to, to get the same numbers again.
  package let seed: UInt64
  private var state: UInt64

  /// The numbers of a known seed.
  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// New numbers for a test, or those of `TELLER_TEST_SEED`; prints the seed.
  /// - Parameter test: the name under which the seed is printed.
  package init(for test: String) {
    let given = ProcessInfo.processInfo.environment["TELLER_TEST_SEED"].flatMap(UInt64.init)
    self.init(seed: given ?? UInt64.random(in: .min ... .max))
    print("\(test): TELLER_TEST_SEED=\(seed)")
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SeededRandom {
  /// How long a test of random things goes on: each run has other numbers, so most runs may be short. With
  /// `TELLER_TEST_LENGTH=long` all of them are long.
  package static func length(_ short: Int, long: Int) -> Int {
    ProcessInfo.processInfo.environment["TELLER_TEST_LENGTH"] == "long" ? long : short
  }
}
