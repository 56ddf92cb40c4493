import Teller

/// Gets one section of the shop, and has its pictures fetched: it submits a job for each, and waits for all of them.
///
/// Its pictures are jobs of its own department. While it waits, its teller is lent to them: so one teller is enough.
struct FetchSection: JobHandler {
  static let kind: JobKind = "section"
  static let policy = HandlerPolicy(attempts: 3, timeout: .seconds(120))

  struct Payload: Codable, Sendable { var name: String }
  struct Page: Codable, Hashable, Sendable {
    var section: Section
    var pictures: [FetchPicture.Picture]
  }

  let shop: ShopClient
  let client: TellerClient

  func run(context: JobContext<Payload>) async throws -> Page {
    let section = try await shop.section(context.payload.name)
    let pictures = try await withThrowingTaskGroup(of: FetchPicture.Picture.self) { group in
      for path in Set(section.products.map(\.picture)) {
        group.addTask {
          var picture = try FetchPicture.submission(path)
          // The same job in each attempt of this one.
          picture.id = context.id(of: path)
          return try await context.value(of: picture, through: client)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    return Page(section: section, pictures: pictures.sorted { $0.path < $1.path })
  }
}
