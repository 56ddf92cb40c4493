package import AMQP
import Bookkeeping
package import JobModel
import JobTransport

/// Deliveries whose reports, and what else is in them, are recorded in one turn.
package struct Portion {
  /// No further message in a transaction that has so many reports.
  static let reportLimit = 256

  package private(set) var deliveries: [Delivery] = []
  package private(set) var messages: [ReportMessage] = []
  /// The index of each message's delivery.
  private var origins: [Int] = []

  /// Takes from the front until there is enough; nil: nothing is left.
  package init?(takingFrom rest: inout ArraySlice<Delivery>) {
    while messages.count < Portion.reportLimit, let delivery = rest.popFirst() {
      let read = ReportCodec.decode(delivery)
      origins += repeatElement(deliveries.count, count: read.count)
      messages += read
      deliveries.append(delivery)
    }
    if deliveries.isEmpty { return nil }
  }

  /// The user that each message names; nil: none.
  package var users: [String?] { origins.map { deliveries[$0].properties.userID } }

  /// The deliveries to be parked, each once, for the first reason.
  func parked(_ refusals: [Refusal]) -> [ParkedMessage] {
    var parked: [ParkedMessage] = []
    var last: Int?
    for refusal in refusals where origins[refusal.index] != last {
      last = origins[refusal.index]
      parked.append(
        ParkedMessage(
          deliveries[origins[refusal.index]], from: Topology.Mail.reports.rawValue, at: .now(), reason: refusal.failure)
      )
    }
    return parked
  }
}
