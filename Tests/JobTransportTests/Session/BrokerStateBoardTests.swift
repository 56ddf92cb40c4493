import JobModel
import Testing

@testable import JobTransport

@Suite("How a process stands with the broker")
struct BrokerStateBoardTests {
  private let late = SignsOfLife.limit + .seconds(1)

  @Test(
    "is not ready when one connection of several is silent, whichever it is", arguments: BrokerConnections.Role.allCases
  )
  func silent(role: BrokerConnections.Role) {
    let board = BrokerStateBoard()
    board.opened(BrokerConnections.Role.allCases, at: .zero)
    #expect(board.check(at: SignsOfLife.limit).isOK)
    for other in BrokerConnections.Role.allCases where other != role { board.answered(other, at: late) }
    let check = board.check(at: late)
    #expect(!check.isOK && check.detail.contains(role.rawValue))
    for other in BrokerConnections.Role.allCases where other != role { #expect(!check.detail.contains(other.rawValue)) }
    board.answered(role, at: late)
    #expect(board.check(at: late).isOK)
  }

  @Test("a connection that is lost, or blocked, is told as such")
  func states() {
    let board = BrokerStateBoard()
    #expect(board.check(at: .zero).detail == "not connected")
    board.opened([.consuming, .publishing], at: .zero)
    board.setBlocked(true, .publishing)
    #expect(!board.check(at: late).isOK && board.check(at: late).detail.contains("short of memory"))
    board.lost()
    #expect(board.check(at: late).detail == "not connected")
  }
}
