import JobTransport
import Testing

@testable import Teller

@Suite("The pause between two shared sets of submissions")
struct SetPauseTests {
  private let start = ContinuousClock.now

  /// A pause from the start on, and the submissions that come in it. What it says is how long it was.
  private func play(_ pause: inout SetPause, _ count: Int = 4, coming: [Duration]) -> Duration {
    let length = pause.begin(after: count, sentAt: start, at: start)
    for time in coming { pause.came(at: start + time) }
    pause.end()
    return length
  }

  @Test(
    "none after one alone or a full message; a share for each submission, up to the limit; what the broker took counts")
  func length() {
    func length(_ count: Int, tookBroker time: Duration = .zero) -> Duration {
      var pause = SetPause()
      return pause.begin(after: count, sentAt: start, at: start + time)
    }
    #expect(length(0) == .zero && length(1) == .zero)
    #expect(length(2) == SetPause.perSubmission * 2)
    for count in 4..<SubmissionPacks.countLimit { #expect(length(count) == SetPause.longest) }
    #expect(length(SubmissionPacks.countLimit) == .zero && length(SharedSubmissions.mostTogether) == .zero)
    #expect(length(9, tookBroker: SetPause.longest / 4) == SetPause.longest * 3 / 4)
    #expect(length(9, tookBroker: SetPause.longest * 2) == .zero)
  }

  @Test("while submissions come in its second half, each set has one")
  func worthwhile() {
    var pause = SetPause()
    for _ in 0..<100 {
      #expect(play(&pause, coming: [.microseconds(100), SetPause.longest * 3 / 4]) == SetPause.longest)
    }
  }

  @Test("tasks that submit again at once have none: pauses in vain become rare, and one that was not ends that")
  func inVain() {
    var pause = SetPause()
    let lengths = (0..<1_000).map { _ in play(&pause, coming: [.zero, .microseconds(200)]) }
    let paused = lengths.count { $0 > .zero }
    #expect((1_000 / (SetPause.mostSkipped + 1)...45).contains(paused), "\(paused) of 1,000 sets had a pause")
    while play(&pause, coming: [SetPause.longest]) == .zero {}
    #expect(play(&pause, coming: []) == SetPause.longest)
    #expect(play(&pause, coming: []) == .zero && play(&pause, coming: []) == SetPause.longest)
  }
}
