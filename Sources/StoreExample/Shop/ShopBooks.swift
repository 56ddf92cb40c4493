import Foundation
import Teller

/// What the shop knows: its sections and their changes, its pictures, and the messages in its chat.
actor ShopBooks {
  /// The most changes of a section that are kept: whoever misses older ones reads the section as a whole.
  static let keptUpdates = 1_000

  private var sections: [String: Section] = [:]
  private var orders: [String: OrderedUpdates<Repricing>] = [:]
  private var updates: [String: [OrderedUpdate<Repricing>]] = [:]
  private var taken: [String: OrderedUpdate<Repricing>] = [:]
  private var downloads: [String: Int] = [:]
  private var chat: [(id: String, text: String)] = []
  private var lostAnswers = 0
  private(set) var posts = 0

  init(_ sections: [Section] = ShopBooks.goods()) {
    for section in sections {
      self.sections[section.name] = section
      orders[section.name] = OrderedUpdates(from: section.version)
    }
  }

  /// Three sections with so many products each.
  static func goods(_ count: Int = 4) -> [Section] {
    ["tea", "cups", "cakes"].map { name in
      Section(
        name: name,
        products: (1...count).map {
          Product(name: "\(name)-\($0)", cents: 100 * $0, picture: "/pictures/\(name)-\($0).png")
        })
    }
  }

  var names: [String] { sections.keys.sorted() }
  func section(_ name: String) -> Section? { sections[name] }

  /// Numbers a change, and applies it unless it was made from another version than the present one. The same id is the same
  /// change, however often it comes.
  func take(_ request: RepricingRequest, of name: String) -> OrderedUpdate<Repricing>? {
    if let known = taken[request.id] { return known }
    guard var section = sections[name], var order = orders[name] else { return nil }
    let update = OrderedUpdate(number: order.last + 1, madeFrom: request.madeFrom, request.change)
    if case .take(let steps) = order.receive(update) {
      for case .apply(let update) in steps { section.apply(update.change) }
    }
    (section.version, section.last) = (order.version, order.last)
    (sections[name], orders[name], taken[request.id]) = (section, order, update)
    updates[name] = Array(((updates[name] ?? []) + [update]).suffix(ShopBooks.keptUpdates))
    return update
  }

  /// The changes with these numbers, as far as they are kept.
  func updates(of name: String, _ numbers: ClosedRange<Int64>) -> [OrderedUpdate<Repricing>] {
    (updates[name] ?? []).filter { numbers.contains($0.number) }
  }

  // MARK: Pictures

  func downloaded(_ name: String) { downloads[name, default: 0] += 1 }
  /// How often each picture was asked for.
  var downloadCounts: [String: Int] { downloads }

  // MARK: The chat

  /// The texts in the chat, in their order.
  var messages: [String] { chat.map(\.text) }

  /// Has the next so many answers of the chat get lost on their way, behind a message that was taken.
  func loseAnswers(_ count: Int) { lostAnswers = count }

  /// Takes in a message. One that was taken before is not taken again: its id is the same.
  ///
  /// - Returns: whether the answer is to get lost.
  func post(_ text: String, id: String?) -> Bool {
    posts += 1
    if id == nil || !chat.contains(where: { $0.id == id }) { chat.append((id ?? UUID().uuidString, text)) }
    guard lostAnswers > 0 else { return false }
    lostAnswers -= 1
    return true
  }
}
