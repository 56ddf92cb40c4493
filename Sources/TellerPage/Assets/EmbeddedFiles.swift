import CPage

/// A file for browsers.
struct PageFile: Hashable, Sendable {
  let name: String
  let bytes: [UInt8]

  /// What browsers are told that it is, by the end of its name. Nothing else is served.
  var contentType: String? { PageFile.types.first { name.hasSuffix($0.end) }?.type }

  private static let types = [
    (end: ".js", type: "text/javascript; charset=utf-8"), (end: ".css", type: "text/css; charset=utf-8"),
    (end: ".svg", type: "image/svg+xml"), (end: ".html", type: "text/html; charset=utf-8"),
  ]
}

/// The files that the program has in itself.
enum EmbeddedFiles {
  /// All of them, in the order of their names.
  static let all: [PageFile] = {
    var files: [PageFile] = []
    while case let file = page_file_at(files.count), let name = file.name {
      files.append(
        PageFile(
          name: String(cString: name), bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count))))
    }
    return files.sorted { $0.name < $1.name }
  }()

  /// The one document of all addresses, with placeholders.
  static let page = "page.html"
}
