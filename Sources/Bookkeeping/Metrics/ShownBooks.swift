import Decisions
import Ledger

extension Bookkeeper {
  /// Shows in the metrics that these are not the books of the present: another coordinator serves.
  package func hideMetrics() { metrics.hide() }

  /// Shows in the metrics how the books stand: from counts alone, however many jobs there are.
  package func showMetrics() {
    guard (try? checkThatMemoryHolds()) != nil else { return }
    metrics.show(parts.departments.books, parts.roster)
    metrics.show(
      workers: parts.roster.workers.count, unsent: parts.unsent.count, ledgerBytes: ledger.bytesOnDisk)
  }
}
