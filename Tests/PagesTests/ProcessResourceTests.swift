import Foundation
import TestSupport
import Testing

/// What a process can be short of, or be denied, and each sort of process: whatever the pair, nothing dies by a signal, nothing
/// is silent, and SIGTERM ends it. This table says which test shows that, or why there is none.
@Suite("Each resource, and each sort of process")
struct ProcessResourceTests {
  private enum Resource: CaseIterable {
    case descriptors, threads, disk, streams, log, files, signals, memory, children
  }

  private enum Sort: CaseIterable {
    case command, coordinator, worker, webhooks, page
  }

  private enum Cell {
    case test(String)
    case none(String)
  }

  private static let closedStreams =
    "a process whose streams are closed from the start, or whose readers end, does its work all the same"
  private static let unreadLog = "serve their jobs to the end, answer, and end on SIGTERM"
  private static let hangingFile = "name it in their log, go on with the URL that they have, and end on SIGTERM"

  /// Of a sort, or of all others.
  private static let table: [Resource: [Sort?: Cell]] = [
    .descriptors: [
      .command: .test("a command that has too few says so on one line, and ends at once"),
      nil: .test("a server that has too few says so on one line, and ends; with one more it serves, and goes on"),
      .worker: .none("its server for health has the gate of all servers; the rest is the user's program"),
    ],
    .threads: [
      nil: .test("ends at once, with one line that says so"),
      .worker: .test(
        "a worker that can start no thread fails its attempts, says so in its log and its health, and heals"),
    ],
    .disk: [
      nil: .none("it writes no file; what reads a password or a page keeps no state"),
      .coordinator: .test(
        "a first start that has too little room, whatever it is, leaves a file with which the next start begins"),
    ],
    .streams: [
      .command: .test("a command whose reader ends, ends quietly"),
      .coordinator: .test(closedStreams), .worker: .test(closedStreams),
      nil: .none("they are opened before anything else, in one place for all programs"),
    ],
    .log: [
      .command: .none("its lines are few, and a person waits for them"),
      .coordinator: .test(unreadLog), .worker: .test(unreadLog), nil: .none("the same writer of the log"),
    ],
    .files: [
      .coordinator: .test(hangingFile), .worker: .test(hangingFile),
      nil: .none("the same readings, each with its limit"),
      .command: .test("end with a line that names the file, when it hangs at their start"),
    ],
    .signals: [nil: .test("ends by a SIGTERM that comes at any moment of its start")],
    .memory: [nil: .none("Swift ends a process that has none; its supervisor starts it again")],
    .children: [
      nil: .none("it starts no program"),
      .worker: .none("the handler's own error: an attempt fails with what the handler throws"),
    ],
  ]

  @Test("has its row", arguments: Resource.allCases.map { "\($0)" })
  func rows(name: String) throws {
    let resource = try #require(Resource.allCases.first { "\($0)" == name })
    let row = try #require(Self.table[resource])
    for sort in Sort.allCases { #expect(row[sort] ?? row[nil] != nil, "\(resource) of a \(sort)") }
  }

  @Test("names tests that there are")
  func tests() throws {
    let sources = try Self.sources()
    for case .test(let name) in Self.table.values.flatMap(\.values) {
      #expect(sources.contains { $0.contains("\"\(name)\"") }, "there is no test \"\(name)\"")
    }
  }

  private static func sources() throws -> [String] {
    let folder = PackageFolder.url.appending(path: "Tests/EndToEndTests")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
  }
}
