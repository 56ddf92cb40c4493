/// Why the shop has not answered as it should.
enum ShopError: Error, Hashable, CustomStringConvertible {
  case noServer
  case refused(status: Int)
  case notOfTheShop(String)
  case notUnderstood(String)

  var description: String {
    switch self {
    case .noServer: "the shop does not serve: see whether its port is free"
    case .refused(let status): "the shop answers \(status)"
    case .notOfTheShop(let path): "\"\(path)\" is no address of the shop: it begins with one slash"
    case .notUnderstood(let path): "the shop's answer to \(path) is not understood"
    }
  }
}
