import Testing
import TestSupport

@testable import JobModel

@Suite("Retry settings")
struct RetrySettingsTests {
  @Test("the back-off doubles with each attempt up to the longest")
  func doubles() {
    let retry = RetrySettings(first: .seconds(2), factor: 2, longest: .seconds(30), jitter: 0)
    let delays = (1...6).map { retry.delay(afterAttempt: $0, random: 0.7) }
    #expect(delays == [2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test("the jitter goes as far to either side")
  func jitter() {
    let retry = RetrySettings(first: .seconds(10), factor: 1, longest: .seconds(60), jitter: 0.2)
    #expect(retry.delay(afterAttempt: 3, random: 0) == .seconds(8))
    #expect(retry.delay(afterAttempt: 3, random: 0.5) == .seconds(10))
    #expect(retry.delay(afterAttempt: 3, random: 1) == .seconds(12))
  }

  @Test("without a first back-off it is tried again at once")
  func none() {
    let retry = RetrySettings(first: .zero)
    #expect(retry.delay(afterAttempt: 9, random: 1) == .zero)
  }

  @Test("whatever the settings, the attempt and the chance, a back-off stays within its bounds")
  func bounds() {
    var random = SeededRandom(for: "retry policy")
    for _ in 0..<2_000 {
      let jitter = Double.random(in: 0...1, using: &random)
      let longest = Duration.milliseconds(Int64.random(in: 1...86_400_000, using: &random))
      let first = Duration.milliseconds(Int64.random(in: 1...86_400_000, using: &random))
      let factor = Double.random(in: 0...10, using: &random)
      let retry = RetrySettings(first: first, factor: factor, longest: longest, jitter: jitter)
      let attempt = Int.random(in: -1...10_000, using: &random)
      let delay = retry.delay(afterAttempt: attempt, random: Double.random(in: -0.5...1.5, using: &random))
      let (low, high) = (min(first, longest) * (1 - jitter), longest * (1 + jitter))
      let isWithin = delay >= low - .milliseconds(1) && delay <= high + .milliseconds(1)
      #expect(isWithin, "\(retry), attempt \(attempt): \(delay); TELLER_TEST_SEED=\(random.seed)")
      if !isWithin { return }
    }
  }

  @Test("without jitter, a later attempt never waits for less")
  func grows() {
    var random = SeededRandom(for: "retry policy grows")
    for _ in 0..<200 {
      let factor = Double.random(in: 1...5, using: &random)
      let retry = RetrySettings(first: .milliseconds(700), factor: factor, longest: .seconds(90), jitter: 0)
      let delays = (1...40).map { retry.delay(afterAttempt: $0, random: 0) }
      #expect(delays == delays.sorted(), "factor \(factor); TELLER_TEST_SEED=\(random.seed)")
      #expect(delays.last ?? .zero <= .seconds(90))
    }
  }
}
