import JobModel

/// What is served as it is: each file by its exact name, below a word that changes with the files. So browsers may keep a
/// file for ever, and no name leads to anything else.
struct AssetTable: Sendable {
  /// The document of all addresses.
  let page: [UInt8]
  /// The files by their paths behind the prefix.
  private let files: [String: PageFile]

  /// The table of the page's own files and those of added screens.
  init(prefix: String, screens: [PageScreen], own: [PageFile] = EmbeddedFiles.all) {
    let folder = "/assets/\(AssetTable.hash(of: own))"
    var files: [String: PageFile] = [:]
    for file in own where file.name != EmbeddedFiles.page { files["\(folder)/\(file.name)"] = file }
    for screen in screens {
      for file in screen.files { files["\(screen.folder)/\(file.name)"] = file }
    }
    self.files = files
    let values = [
      "@ASSETS@": prefix + folder, "@PREFIX@": prefix, "@SCREENS@": AssetTable.list(of: screens, prefix: prefix),
    ]
    let document = own.first { $0.name == EmbeddedFiles.page }.map { String(decoding: $0.bytes, as: UTF8.self) }
    page = Array(AssetTable.filled(document ?? "", with: values).utf8)
  }

  /// The file of that path behind the prefix; nil: there is none.
  subscript(path: String) -> PageFile? { files[path] }

  /// All paths behind the prefix.
  var paths: [String] { files.keys.sorted() }

  /// A word that is another one when any file is.
  static func hash(of files: [PageFile]) -> String {
    let content = files.sorted { $0.name < $1.name }.flatMap { file in
      Array("\(file.name)\n\(file.bytes.count)\n".utf8) + file.bytes
    }
    return Digest.sha256(of: content).prefix(8).map(\.twoHexDigits).joined()
  }

  /// The values stand in attributes of HTML.
  private static func filled(_ document: String, with values: [String: String]) -> String {
    var (text, rest) = ("", document[...])
    while let at = rest.firstIndex(of: "@") {
      text += rest[..<at]
      rest = rest[at...]
      let found = values.first { rest.hasPrefix($0.key) }
      text += found.map { escaped($0.value) } ?? "@"
      rest = rest.dropFirst(found?.key.count ?? 1)
    }
    return text + rest
  }

  /// A text as it stands in an attribute.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  private struct Listed: Encodable {
    var path: String
    var title: String
    var script: String
    var style: String?
  }

  private static func list(of screens: [PageScreen], prefix: String) -> String {
    let listed = screens.map { screen in
      Listed(
        path: screen.path, title: screen.title, script: "\(prefix)\(screen.folder)/\(screen.path).js",
        style: screen.hasStyle ? "\(prefix)\(screen.folder)/\(screen.path).css" : nil)
    }
    // Texts alone: JSON can hold them.
    return (try? PrintedJSON.text(listed)) ?? "[]"
  }
}

extension PageScreen {
  fileprivate var folder: String { "/assets/\(AssetTable.hash(of: files))" }
}
