import Foundation
import TestSupport
import Testing

/// Files that people write come from every editor. One reader knows all of them (`LineSplitter`), and nothing reads a file
/// beside it.
@Suite struct TextFileTests {
  /// The files of the sources that read files themselves, and why.
  private static let readers = [
    "Processes/FileReads.swift": "settings and secrets, by LineSplitter; PEM files, in a module without that reader",
    "TellerCLI/Submitting/ByteChunks.swift": "batches, by LineSplitter; payloads, byte for byte",
    "JobModel/Values/MachineClocks.swift": "a file of the system",
    "JobModel/Zones/Zone.swift": "the system's zones, which are no text",
    "JobModel/Zones/ZoneData.swift": "the same",
    "StoreExample/Commands/Addresses.swift": "an example, which has no package access",
  ]

  private static let calls = [
    "contentsOfFile:", "Data(contentsOf:", "String(contentsOf:", "forReadingFrom:", "forReadingAtPath:",
    "contents(atPath:", "O_RDONLY | O_NONBLOCK",
    "fopen(", "InputStream(", "fromPEMFile(", "PrivateKey(file:",
  ]

  @Test("every place that reads a file is one of these")
  func places() throws {
    let sources = PackageFolder.url.appending(path: "Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
    var found: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      if code.contains(where: { line in Self.calls.contains { line.contains($0) } }) { found.insert(file) }
    }
    #expect(found == Set(Self.readers.keys))
  }
}
