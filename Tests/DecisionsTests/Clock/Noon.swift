import JobModel

extension Timestamp {
  /// What stands for the present time in these tests: none of them reads a clock.
  static let noon = Timestamp(milliseconds: 1_800_014_400_000)
}
