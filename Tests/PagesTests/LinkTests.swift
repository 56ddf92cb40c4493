import Foundation
import TestSupport
import Testing

@Suite("The links of the pages")
struct LinkTests {
  @Test("lead to files and headings that exist", arguments: Page.all)
  func exist(page: Page) {
    #expect(problems(of: page) == [])
  }

  @Test("the check finds a missing file, a missing heading, and a link to another machine's folder")
  func check() {
    let page = Page(
      "Deploy/page.md",
      text: """
        # A page
        [a](compose.md) [b](missing.md) [c](#a-page) [d](#another) [e](compose.md#missing) [f](/etc/teller)
        ```sh
        cat <<<"[g](missing.md)"
        ```
        """)
    #expect(
      problems(of: page) == [
        "2: missing.md does not exist", "2: there is no heading #another", "2: there is no heading compose.md#missing",
        "2: /etc/teller is not relative",
      ])
  }

  @Test("the README reaches every page within two steps")
  func reached() throws {
    let pages = Dictionary(uniqueKeysWithValues: Page.all.map { ($0.path, $0) })
    let first = linked(from: try #require(pages["README.md"]))
    let second = first.compactMap { pages[$0] }.flatMap(linked)
    let catalogs = pages.keys.filter { $0.contains(".docc/") }
    // Within a catalog DocC's own navigation leads on.
    #expect(
      Set(pages.keys).subtracting(first).subtracting(second).subtracting(catalogs).subtracting(["README.md"]) == [])
  }

  private func problems(of page: Page) -> [String] {
    page.links.compactMap { number, target in problem(with: target, on: page).map { "\(number): \($0)" } }
  }

  private func problem(with target: String, on page: Page) -> String? {
    if target.hasPrefix("https://") || target.hasPrefix("http://") || target.hasPrefix("doc:") { return nil }
    if target.hasPrefix("/") { return "\(target) is not relative" }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let file = page.folder.appending(path: parts[0]).standardizedFileURL
    if !parts[0].isEmpty, !FileManager.default.fileExists(atPath: file.path) { return "\(target) does not exist" }
    guard parts.count == 2 else { return nil }
    let other = parts[0].isEmpty ? page : try? Page(path(of: file))
    return other?.anchors.contains(parts[1]) == true ? nil : "there is no heading \(target)"
  }

  private func linked(from page: Page) -> [String] {
    page.links.map { path(of: page.folder.appending(path: $0.target.prefix { $0 != "#" }.description)) }
  }

  /// The path of a file from the top of the package.
  private func path(of file: URL) -> String {
    let top = PackageFolder.url.standardizedFileURL.path
    return String(file.standardizedFileURL.path.dropFirst(top.count + 1))
  }
}
