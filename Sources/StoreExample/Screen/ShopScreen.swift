import Teller

/// What is shown of the shop. Changes are applied in their order, one at a time, each against the version that it was made
/// from. While one section is redrawn, another one changes only behind it.
actor ShopScreen {
  private struct Page {
    var section: Section
    var updates: OrderedUpdates<Repricing>

    init(_ section: Section) {
      self.section = section
      updates = OrderedUpdates(from: section.version, last: section.last)
    }
  }

  private let display: any Display
  private let shop: ShopClient
  private var pages: [String: Page] = [:]
  /// What comes for a section that is not here yet; it is taken in once the section is.
  private var early: [SectionUpdate] = []
  private(set) var line: LineState?
  private(set) var counts = Counts()

  /// How much has happened.
  struct Counts: Hashable, Sendable {
    var applied = 0
    var refused = 0
    var notices = 0
  }

  /// The most changes that wait for their section: it knows older ones by itself when it comes.
  static let earlyLimit = 1_000

  init(display: any Display, shop: ShopClient) {
    self.display = display
    self.shop = shop
  }

  /// By name.
  var sections: [Section] { pages.values.map(\.section).sorted { $0.name < $1.name } }

  /// Takes in a section as it was fetched.
  func show(_ section: Section) async throws {
    pages[section.name] = Page(section)
    tell(.section(section.name, products: section.products.count))
    let waiting = early.filter { $0.section == section.name }
    early.removeAll { $0.section == section.name }
    for update in waiting { try await receive(update) }
  }

  /// Takes in a numbered change, and fetches those that are missing before it.
  func receive(_ update: SectionUpdate) async throws {
    guard pages[update.section] != nil else {
      early = Array((early + [update]).suffix(ShopScreen.earlyLimit))
      return
    }
    switch step(update.update, of: update.section) {
    case .fetch(let numbers): try await fetch(numbers, of: update.section)
    case .startAgain: try await startAgain(update.section)
    case .take, .drop: break
    }
  }

  /// Takes in a change without a wait in between: so what is shown is one sequence.
  private func step(_ update: OrderedUpdate<Repricing>, of section: String) -> OrderedUpdates<Repricing>.Step {
    let step = pages[section]?.updates.receive(update) ?? .drop
    if case .take(let taken) = step { for each in taken { take(each, of: section) } }
    return step
  }

  private func fetch(_ numbers: ClosedRange<Int64>, of section: String) async throws {
    do {
      for update in try await shop.updates(of: section, numbers) { _ = step(update, of: section) }
    } catch {
      pages[section]?.updates.nameAgain()
      throw error
    }
    // The shop does not keep them any more.
    if pages[section]?.updates.missing?.overlaps(numbers) == true { try await startAgain(section) }
  }

  private func startAgain(_ name: String) async throws {
    let section = try await shop.section(name)
    guard var page = pages[name], section.last >= page.updates.last else { return }
    page.section = section
    let taken = page.updates.startAgain(from: section.version, last: section.last)
    pages[name] = page
    tell(.section(name, products: section.products.count))
    for each in taken { take(each, of: name) }
  }

  private func take(_ taken: OrderedUpdates<Repricing>.Taken, of section: String) {
    switch taken {
    case .apply(let update):
      pages[section]?.section.apply(update.change)
      pages[section]?.section.version = update.number
      counts.applied += 1
      tell(.price(section, product: update.change.product, cents: update.change.cents))
    case .refuse(let update, let present):
      counts.refused += 1
      let madeFrom = update.madeFrom ?? present
      tell(.stale(section, product: update.change.product, madeFrom: madeFrom, present: present))
    }
  }

  /// Takes in how the line is. Only a change is told.
  func note(_ line: LineState) {
    guard line != self.line else { return }
    self.line = line
    tell(.line(line))
  }

  func tell(_ notice: Notice) {
    counts.notices += 1
    display.show(notice, ScreenPicture(line: line, sections: sections))
  }
}
