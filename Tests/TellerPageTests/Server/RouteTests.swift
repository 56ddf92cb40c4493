import Testing

@testable import TellerPage

@Suite("What an address is about")
struct RouteTests {
  private func route(_ target: String, _ method: Route.Method = .get, prefix: String = "") -> Route {
    Route(method, target, prefix: prefix, screens: ["bank"])
  }

  @Test("pages, files, questions, changes")
  func kinds() {
    for path in ["/", "/jobs", "/jobs/x?y=z", "/departments/front", "/plans/opening", "/bank", "/bank/x", "/report"] {
      #expect(route(path) == .page(isKnown: true), "\(path)")
    }
    for path in ["/x", "/jobs/a/b", "/index.html", "/favicon.ico", "/.git/config"] {
      #expect(route(path) == .page(isKnown: false), "\(path)")
    }
    #expect(route("/api/jobs?a=b&c=d") == .question(["jobs"], query: "a=b&c=d"))
    #expect(route("/api/live?x=1") == .live(query: "x=1"))
    #expect(route("/api/actions/pause", .post) == .change(["actions", "pause"]))
    #expect(route("/assets/h/page.js") == .asset("/assets/h/page.js"))
  }

  @Test("changes are POST, all else is not")
  func methods() {
    for path in ["/", "/assets/h/page.js", "/jobs"] { #expect(route(path, .post) == .otherMethod) }
    for path in ["/", "/api/jobs", "/api/actions/pause"] { #expect(route(path, .other) == .otherMethod) }
    #expect(route("/api/actions/pause") == .question(["actions", "pause"], query: ""))
    #expect(route("/api/live", .head) == .otherMethod)
  }

  @Test("behind a prefix there is the page, and nothing in front of it")
  func prefix() {
    #expect(route("/jobs", prefix: "/jobs") == .home)
    #expect(route("/jobs/", prefix: "/jobs") == .page(isKnown: true))
    #expect(route("/jobs/jobs", prefix: "/jobs") == .page(isKnown: true))
    for path in ["/", "/jobsx", "/api/me", "/assets/h/page.js"] { #expect(route(path, prefix: "/jobs") == .notFound) }
  }

  @Test("what is no address is refused, and no path leads upwards")
  func malformed() {
    for target in ["", "x", "http://evil.example/", "*", "/a b", "/a\u{7F}", "/ä", "/%zz"] {
      #expect(route(target) == .malformed, "\(target)")
    }
    #expect(route("/" + String(repeating: "a", count: 5_000)) == .malformed)
    for path in ["/assets/../page.html", "/assets/h/..%2Fpage.html", "/assets/%2e%2e/x", "/assets//etc/passwd"] {
      // A path is a word of a table, and no way in a folder.
      #expect(route(path) == .asset(path))
      #expect(AssetTable(prefix: "", screens: [])[path] == nil)
    }
  }
}

@Suite("The files of the page")
struct AssetTests {
  private let screen = PageScreen(
    path: "bank", title: "The \"Bank\" <&>", script: Array("export".utf8), style: Array("a{}".utf8),
    modules: ["day.js": Array("export".utf8)])

  @Test("each file is served by its exact name, and has a type")
  func files() throws {
    let table = AssetTable(prefix: "", screens: [screen])
    #expect(table.paths.count == EmbeddedFiles.all.count - 1 + 3)
    for path in table.paths {
      let file = try #require(table[path])
      #expect(file.contentType != nil && !file.bytes.isEmpty, "\(path)")
      #expect(table[path + "x"] == nil && table[String(path.dropLast())] == nil)
      #expect(path.wholeMatch(of: /\/assets\/[0-9a-f]{16}\/[a-z0-9.-]+/) != nil, "\(path)")
    }
    #expect(!table.paths.contains { $0.hasSuffix("page.html") })
  }

  @Test("the placeholders are filled in, as text of HTML")
  func placeholders() {
    let own = [PageFile(name: "page.html", bytes: Array("@PREFIX@ @ASSETS@/x \"@SCREENS@\" a@b".utf8))]
    let page = String(decoding: AssetTable(prefix: "/p", screens: [screen], own: own).page, as: UTF8.self)
    #expect(
      page.hasPrefix("/p /p/assets/\(AssetTable.hash(of: own))/x \"[{&quot;path&quot;:&quot;bank&quot;"), "\(page)")
    #expect(page.contains("The \\&quot;Bank\\&quot; &lt;&amp;&gt;"), "\(page)")
    #expect(page.contains("/p/assets/") && page.contains("/bank.css&quot;") && page.hasSuffix("\" a@b"))
  }

  @Test("a value with a placeholder in it is not filled in again")
  func once() {
    let screen = PageScreen(path: "bank", title: "@ASSETS@", script: [])
    let own = [PageFile(name: "page.html", bytes: Array("@SCREENS@".utf8))]
    #expect(
      String(decoding: AssetTable(prefix: "", screens: [screen], own: own).page, as: UTF8.self).contains("@ASSETS@"))
  }

  @Test("a module beside the script has a name of small letters, digits and -")
  func modules() {
    for name in ["day.js", "the-2nd.js"] { #expect(ScreenPath.isModule(name), "\(name)") }
    for name in ["day", ".js", "Day.js", "../day.js", "day.css", "day.js.js", ""] {
      #expect(!ScreenPath.isModule(name), "\(name)")
    }
  }

  @Test("another content of a module gives all files of its screen another address")
  func moduleHash() {
    func paths(_ module: String) -> Set<String> {
      let screen = PageScreen(path: "bank", title: "Bank", script: [1], modules: ["day.js": Array(module.utf8)])
      return Set(AssetTable(prefix: "", screens: [screen], own: []).paths)
    }
    #expect(paths("a").count == 2 && paths("a").isDisjoint(with: paths("b")))
  }

  @Test("another content has another address")
  func hash() {
    let files = [PageFile(name: "a", bytes: [1]), PageFile(name: "b", bytes: [2])]
    #expect(AssetTable.hash(of: files) == AssetTable.hash(of: files.reversed()))
    let others = [
      [PageFile(name: "a", bytes: [1])], [PageFile(name: "a", bytes: [2]), PageFile(name: "b", bytes: [1])],
      [PageFile(name: "a", bytes: []), PageFile(name: "b", bytes: [1, 2])],
    ]
    for other in others { #expect(AssetTable.hash(of: other) != AssetTable.hash(of: files)) }
  }
}
