import Teller

/// Sets a price in the shop, made from the version of the section that somebody has seen.
struct Reprice: JobHandler {
  static let kind: JobKind = "reprice"
  static let policy = HandlerPolicy(attempts: 5, timeout: .seconds(30))

  struct Payload: Codable, Sendable {
    var section: String
    var madeFrom: Int64
    var change: Repricing
  }

  let shop: ShopClient

  func run(context: JobContext<Payload>) async throws -> SectionUpdate {
    let payload = context.payload
    // By the job's id the shop takes it once, however often the job runs.
    let request = RepricingRequest(id: "\(context.id)", madeFrom: payload.madeFrom, change: payload.change)
    return SectionUpdate(section: payload.section, update: try await shop.reprice(payload.section, request))
  }
}
