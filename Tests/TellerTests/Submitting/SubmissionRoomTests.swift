import Testing
import TestSupport

@testable import Teller

@Suite("The room for submissions")
struct SubmissionRoomTests {
  private let half = SubmissionRoom.Load(messages: 1, bytes: SubmissionRoom.Load.limit.bytes / 2)

  /// Takes room, and holds it until it is told to leave.
  private func guest(_ load: SubmissionRoom.Load, in room: SubmissionRoom) -> (Task<Void, any Error>, OneShot<Void>) {
    let leaving = OneShot<Void>()
    return (Task { try await room.with(load) { try await leaving.value } }, leaving)
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
