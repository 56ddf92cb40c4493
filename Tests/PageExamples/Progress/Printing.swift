import Teller
import TellerTesting
import Testing

/// A printer.
protocol Printer: Sendable {
  func print(_ page: String) async throws
}

struct Printing: JobHandler {
  static let kind: JobKind = "printing"
  struct Payload: Codable, Sendable { var pages: [String] }

  let printer: any Printer

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let pages = context.payload.pages
    for (index, page) in pages.enumerated() {
      context.progress(Double(index) / Double(pages.count), "page \(index + 1) of \(pages.count)")
      try await printer.print(page)
    }
    return NoResult()
  }
}

/// Prints nothing.
struct NoPrinter: Printer {
  func print(_ page: String) async throws {}
}

@Suite("Printing")
struct PrintingTests {
  @Test("says how far it has come")
  func progress() async throws {
    let printing = Printing(printer: NoPrinter())
    let payload = Printing.Payload(pages: ["one", "two"])
    _ = try await TellerTesting.run(printing, payload, onProgress: { print($0.fraction, $0.text ?? "") })
  }
}

func follow(_ job: JobHandle<NoResult>) async throws {
  for try await progress in job.progress {
    print("\(Int(progress.fraction * 100)) %", progress.text ?? "")
  }
}

func watchProgress(with client: TellerClient) async throws {
  let progress = EventFilter(events: ["progress"])
  for try await event in try await client.events(since: .now, matching: progress) {
    if let progress = event.progress { print(event, progress.fraction) }
  }
}
