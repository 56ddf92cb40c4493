import Foundation
import Synchronization

/// Shows the screen of the shop.
protocol Display: Sendable {
  /// Shows a change.
  ///
  /// - Parameters:
  ///   - notice: What has happened, in a few words.
  ///   - picture: The whole screen, after it.
  func show(_ notice: Notice, _ picture: ScreenPicture)

  /// Puts the terminal back as it was; the last picture stays.
  func close()
}

/// A short notice of what has happened.
enum Notice: Hashable, Sendable {
  case line(LineState)
  case section(String, products: Int)
  case price(String, product: String, cents: Int)
  /// A change was made from a version that is not the present one.
  case stale(String, product: String, madeFrom: Int64, present: Int64)
  case ordered(String)
  case failed(String, reason: String)

  var text: String {
    switch self {
    case .line(let state): "\(state.sign) \(state.notice)"
    case .section(let name, let products): "\(name): \(products) products, with their pictures"
    case .price(let section, let product, let cents): "\(section): \(product) costs \(Notice.money(cents)) now"
    case .stale(let section, let product, let madeFrom, let present):
      "\(section): a price of \(product) is refused: it was made from version \(madeFrom), and this is \(present)"
    case .ordered(let text): text
    case .failed(let name, let reason): "\(name) failed: \(reason)"
    }
  }

  static func money(_ cents: Int) -> String {
    let rest = cents % 100
    return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

/// The screen at one moment.
struct ScreenPicture: Hashable, Sendable {
  var line: LineState?
  /// By name.
  var sections: [Section] = []
}

/// One line for each notice: for pipes and logs.
struct PlainLines: Display {
  func show(_ notice: Notice, _ picture: ScreenPicture) { Terminal.write(notice.text + "\n") }
  func close() {}
}

/// Shows nothing: `--json` prints only the report.
struct Silence: Display {
  func show(_ notice: Notice, _ picture: ScreenPicture) {}
  func close() {}
}

/// The shop on a terminal, redrawn in place: the line at the top, the sections, and the last notices.
final class LiveView: Display {
  /// How many notices are shown.
  static let notices = 5

  private let state = Mutex((drawn: 0, notices: [String]()))

  init() { Terminal.write(Terminal.hideCursor) }

  func show(_ notice: Notice, _ picture: ScreenPicture) {
    state.withLock { state in
      state.notices = Array((state.notices + [notice.text]).suffix(LiveView.notices))
      let frame = LiveView.frame(picture, state.notices, width: Terminal.width)
      Terminal.write(Terminal.erase(lines: state.drawn) + frame.map { $0 + "\n" }.joined())
      state.drawn = frame.count
    }
  }

  func close() { Terminal.write(Terminal.showCursor) }

  /// The lines of a frame. None is wider than the terminal: a line that wraps could not be erased.
  static func frame(_ picture: ScreenPicture, _ notices: [String], width: Int) -> [String] {
    let cut = { (line: String) in String(line.prefix(max(1, width - 1))) }
    var top = cut("The store")
    // The colour is put around a text that is short enough: it takes no room on the screen.
    if let line = picture.line {
      top = "\u{1B}[\(line.colour)m\(cut("\(line.sign) \(line.word) · The store"))\u{1B}[0m"
    }
    let sections = picture.sections.map { section in
      cut(
        "  \(section.name)  " + section.products.map { "\($0.name) \(Notice.money($0.cents))" }.joined(separator: " · ")
      )
    }
    return [top] + sections + notices.map { cut("  · \($0)") }
  }
}
