import JobModel
import Teller

extension Board {
  /// The last event that the board knows of.
  var place: EventPosition { EventPosition(epoch: epoch, sequence: through) }

  /// Takes over the jobs of these departments from a later board. The numbers stay those of this one, so that no event
  /// behind it is passed over.
  mutating func add(rowsOf other: Board, _ names: Set<Department>) {
    for department in other.departments where names.contains(department.status.department) {
      guard let index = departments.firstIndex(where: { $0.status.department == department.status.department }) else {
        continue
      }
      (departments[index].waiting, departments[index].running) = (department.waiting, department.running)
    }
  }

  /// The same without the jobs of other departments.
  func rows(of names: Set<Department>) -> Board {
    var board = self
    for index in departments.indices where !names.contains(departments[index].status.department) {
      (board.departments[index].waiting, board.departments[index].running) = ([], [])
    }
    return board
  }
}

/// The newest board as JSON: made once for all streams that show the same departments.
struct BoardBytes: Sendable {
  let board: Board
  private var made: [Set<Department>: [UInt8]] = [:]

  /// - Throws: `EncodingError`, for a number that JSON does not have.
  init(_ board: Board, for sets: Set<Set<Department>>) throws {
    self.board = board
    for set in sets { made[set] = try PrintedJSON.bytes(board.rows(of: set)) }
  }

  /// The board with the jobs of these departments.
  mutating func json(rowsOf departments: Set<Department>) throws -> [UInt8] {
    if let known = made[departments] { return known }
    let json = try PrintedJSON.bytes(board.rows(of: departments))
    made[departments] = json
    return json
  }
}
