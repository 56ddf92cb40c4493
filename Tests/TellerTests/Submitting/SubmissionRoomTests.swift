import Testing
import TestSupport

@testable import Teller

@Suite("The room for submissions")
struct SubmissionRoomTests {
  private let half = SubmissionRoom.Load(messages: 1, bytes: SubmissionRoom.Load.limit.bytes / 2)

  /// Takes room, and holds it until it is told to leave.
  private func guest(
    _ load: SubmissionRoom.Load, in room: SubmissionRoom, unless obstacle: TellerError? = nil
  ) -> (Task<Void, any Error>, OneShot<Void>) {
    let leaving = OneShot<Void>()
    return (Task { try await room.with(load, unless: { obstacle }) { try await leaving.value } }, leaving)
  }

  private func waits(_ room: SubmissionRoom, for used: SubmissionRoom.Load) async throws {
    try await eventually("the room is taken", within: patience, lastState: { "\(room.used)" }) { room.used == used }
  }

  @Test("what does not fit waits until somebody leaves; what is cancelled meanwhile leaves nothing behind")
  func waiting() async throws {
    let room = SubmissionRoom()
    let (first, leave) = guest(half, in: room)
    try await waits(room, for: half)
    let (second, leaveToo) = guest(half, in: room)
    try await waits(room, for: half.plus(half))
    let (cancelled, _) = guest(half, in: room)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let (third, leaveLast) = guest(half, in: room)
    leave.fulfil()
    try await first.value
    try await waits(room, for: half.plus(half))
    leaveToo.fulfil()
    leaveLast.fulfil()
    try await second.value
    try await third.value
    #expect(room.used == .zero)
  }

  @Test("where waiting is in vain, only as much as the room itself waits for it; the others are told at once")
  func inVain() async throws {
    let room = SubmissionRoom()
    let blocked = TellerError.brokerBlocked(reason: "low on disk")
    let (first, leave) = guest(half.plus(half), in: room, unless: blocked)
    try await waits(room, for: half.plus(half))
    let waiting = (1...2).map { _ in guest(half, in: room, unless: blocked) }
    try await eventually("two wait", within: patience) { room.waiting == 2 }
    let (told, _) = guest(half, in: room, unless: blocked)
    await #expect(throws: blocked) { try await told.value }
    // Where the broker takes what comes, everybody waits.
    let (patient, leavePatient) = guest(half, in: room)
    try await eventually("three wait", within: patience) { room.waiting == 3 }
    // A cancelled one makes place for another.
    waiting[0].0.cancel()
    patient.cancel()
    await #expect(throws: CancellationError.self) { try await patient.value }
    try await eventually("one waits", within: patience) { room.waiting == 1 }
    let (next, leaveNext) = guest(half, in: room, unless: blocked)
    try await eventually("two wait again", within: patience) { room.waiting == 2 }
    for leave in [leave, waiting[1].1, leavePatient, leaveNext] { leave.fulfil() }
    for guest in [first, waiting[1].0, next] { try await guest.value }
    #expect(room.used == .zero && room.waiting == 0)
  }

  @Test("a load beyond the limit has the room alone")
  func large() async throws {
    let room = SubmissionRoom()
    let large = half.plus(half).plus(half)
    let (first, leave) = guest(large, in: room)
    try await waits(room, for: large)
    leave.fulfil()
    try await first.value
    let (small, leaveSmall) = guest(half, in: room)
    try await waits(room, for: half)
    let (second, leaveToo) = guest(large, in: room)
    leaveSmall.fulfil()
    leaveToo.fulfil()
    try await small.value
    try await second.value
    #expect(room.used == .zero)
  }
}
