import Teller

/// A product of the shop.
struct Product: Codable, Hashable, Sendable {
  var name: String
  var cents: Int
  /// The path of its picture in the shop.
  var picture: String
}

/// A part of the shop's page, with the version that its prices have.
struct Section: Codable, Hashable, Sendable {
  var name: String
  var products: [Product]
  /// The number of the last change that was applied.
  var version: Int64 = 0
  /// The number of the last change that is known, also if it was refused.
  var last: Int64 = 0

  /// Sets a price.
  mutating func apply(_ change: Repricing) {
    for index in products.indices where products[index].name == change.product { products[index].cents = change.cents }
  }
}

/// A new price of a product: a change of its section, made from a version of it.
struct Repricing: Codable, Hashable, Sendable {
  var product: String
  var cents: Int
}

/// A numbered change of a section.
struct SectionUpdate: Codable, Hashable, Sendable {
  var section: String
  var update: OrderedUpdate<Repricing>
}

/// What is asked of the shop: a change, made from a version, with an id by which it is taken once.
struct RepricingRequest: Codable, Hashable, Sendable {
  var id: String
  var madeFrom: Int64
  var change: Repricing
}
