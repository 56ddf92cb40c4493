import Foundation
import TestSupport

/// Deploy's dashboard, as far as a test looks at it.
struct Dashboard {
  struct Panel: Decodable {
    struct Target: Decodable {
      let expr: String
      let datasource: Source
    }

    struct Source: Decodable {
      let uid: String
    }

    struct Place: Decodable {
      let x, y, w, h: Int

      func overlaps(_ other: Place) -> Bool {
        x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h
      }
    }

    let id: Int
    let type: String
    let title: String
    let gridPos: Place
    let targets: [Target]?

    var expressions: [String] {
      (targets ?? []).map {
        $0.expr.replacing("$__rate_interval", with: "1m").replacing("$department", with: ".*")
      }
    }
  }

  private struct Document: Decodable {
    let panels: [Panel]
  }

  /// Where the dashboard lies, and the alerts beside it.
  static let folder = PackageFolder.url.appending(path: "Deploy/metrics")

  let panels: [Panel]

  init() throws {
    let data = try Data(contentsOf: Dashboard.folder.appending(path: "dashboard.json"))
    panels = try JSONDecoder().decode(Document.self, from: data).panels
  }

  /// What the graphs ask for, of all departments.
  var expressions: [String] { panels.flatMap(\.expressions) }
}
