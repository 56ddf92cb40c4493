import AsyncAlgorithms
import Foundation
import Teller

/// A day in the store: its sections are fetched beside each other, prices change, and an order is pressed twice.
struct Day: Sendable {
  /// How often the line is looked at.
  private static let lineInterval: Duration = .milliseconds(500)
  /// How long each job of the day may take.
  private static let patience: Duration = .seconds(60)

  let client: TellerClient
  /// The client that looks at the line; with ``LineState/patience``.
  let watcher: TellerClient
  let shop: ShopClient
  let screen: ShopScreen
  /// The number of the day's order.
  var order = "day-\(UUID().uuidString.prefix(8).lowercased())"

  /// Plays the day.
  func play() async throws -> DayReport {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      guard await lookAtLine() else { throw CancellationError() }
      group.addTask { await watchLine() }
      // Before the first change, so that none is missed.
      let events = try await client.events(since: .now, matching: EventFilter(kinds: [Reprice.kind]))
      group.addTask { try? await follow(events) }
      let pictures = try await fetchSections()
      try await changePrices()
      let texts = try await pressTwice()
      return try await report(pictures, texts)
    }
  }

  private func watchLine() async {
    for await _ in AsyncTimerSequence(interval: Day.lineInterval, clock: .continuous) {
      guard await lookAtLine() else { return }
    }
  }

  /// - Returns: Whether the day goes on.
  private func lookAtLine() async -> Bool {
    let start = ContinuousClock.now
    do {
      _ = try await watcher.status()
      await screen.note(LineState(answeredAfter: start.duration(to: .now)))
    } catch let error as TellerError {
      if let state = LineState(error) { await screen.note(state) }
    } catch {
      return false
    }
    return true
  }

  /// An event says that a change was made; the change itself is the job's result.
  private func follow(_ events: JobEvents) async throws {
    for try await event in events where event.change == .succeeded {
      guard let job = event.job else { continue }
      let update = try await client.handle(of: job, as: SectionUpdate.self).value(timeout: Day.patience)
      try await screen.receive(update)
    }
  }

  /// - Returns: The pictures of all sections.
  private func fetchSections() async throws -> [FetchPicture.Picture] {
    try await withThrowingTaskGroup(of: [FetchPicture.Picture].self) { group in
      for name in try await shop.sections() {
        group.addTask {
          let job = try await client.submit(FetchSection.self, FetchSection.Payload(name: name))
          let page = try await job.value(timeout: Day.patience)
          try await screen.show(page.section)
          return page.pictures
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// In each section one price is changed, and then two people change it at once, from the same version: the second one of
  /// these is refused.
  private func changePrices() async throws {
    for section in await screen.sections {
      guard let product = section.products.first else { continue }
      let first = try await reprice(section.name, product, raisedBy: 10, from: section.version)
      async let one = reprice(section.name, product, raisedBy: 20, from: first.update.number)
      async let two = reprice(section.name, product, raisedBy: 30, from: first.update.number)
      _ = try await (one, two)
    }
  }

  private func reprice(
    _ section: String, _ product: Product, raisedBy cents: Int, from version: Int64
  ) async throws -> SectionUpdate {
    let change = Repricing(product: product.name, cents: product.cents + cents)
    let payload = Reprice.Payload(section: section, madeFrom: version, change: change)
    let update = try await client.submit(Reprice.self, payload).value(timeout: Day.patience)
    // Told a second time by its event: that one is dropped.
    try await screen.receive(update)
    return update
  }

  private func pressTwice() async throws -> [String] {
    let order = PlaceOrder.Payload(number: order, lines: [OrderLine(product: "tea-1", count: 2)])
    // Each press is a submission of its own.
    let presses = try [PlaceOrder.submission(order), PlaceOrder.submission(order)]
    async let one = client.submit(presses[0]).value(timeout: Day.patience)
    async let two = client.submit(presses[1]).value(timeout: Day.patience)
    let texts = try await [one.text, two.text]
    await screen.tell(.ordered(texts[0]))
    return texts
  }

  private func report(_ pictures: [FetchPicture.Picture], _ texts: [String]) async throws -> DayReport {
    let counts = await screen.counts
    let sections = await screen.sections
    let messages = try? await shop.messages()
    return DayReport(
      sections: sections.count, products: sections.reduce(0) { $0 + $1.products.count }, pictures: pictures.count,
      changes: counts.applied, stale: counts.refused, order: texts[0], presses: texts.count,
      posts: messages.map { $0.count { $0 == texts[0] } })
  }
}

/// What the day came to.
struct DayReport: Hashable, Sendable, Encodable {
  var sections: Int
  var products: Int
  var pictures: Int
  /// Changes of prices that were applied, each once.
  var changes: Int
  /// Changes that were refused, because they were made from another version.
  var stale: Int
  var order: String
  var presses: Int
  /// How often the order is in the chat; nil: the shop has no chat to look into.
  var posts: Int?

  var isFlawless: Bool {
    pictures == products && changes == 2 * sections && stale == sections && posts.map { $0 == 1 } ?? true
  }

  /// For people.
  var text: String {
    """
    \(sections) sections, \(products) products, \(pictures) pictures
    \(changes) prices changed, \(stale) refused because another one was quicker
    pressed \(presses) times, \(posts.map { "in the chat \($0 == 1 ? "once" : "\($0) times")" } ?? "sent to another chat"): \(order)
    """
  }
}
