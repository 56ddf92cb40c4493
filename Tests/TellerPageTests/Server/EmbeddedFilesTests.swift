import Foundation
import TestSupport
import Testing

@testable import TellerPage

@Suite("The files in the program")
struct EmbeddedFilesTests {
  @Test("are those of the folder, each as it is")
  func all() throws {
    let folder = PackageFolder.url.appending(path: "Sources/CPage/web")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
    #expect(EmbeddedFiles.all.map(\.name) == names, "Sources/CPage/assets.c lists each file")
    for file in EmbeddedFiles.all {
      let content = try Data(contentsOf: folder.appending(path: file.name))
      #expect(Array(content) == file.bytes, "\(file.name): build again")
      #expect(file.contentType != nil, "\(file.name)")
    }
  }

  @Test("the document has its placeholders, and nothing inside that the content policy forbids")
  func document() throws {
    let file = try #require(EmbeddedFiles.all.first { $0.name == EmbeddedFiles.page })
    let page = String(decoding: file.bytes, as: UTF8.self)
    for placeholder in ["@ASSETS@/page.css", "@ASSETS@/page.js", "@PREFIX@", "@SCREENS@", "<noscript>"] {
      #expect(page.contains(placeholder), "\(placeholder)")
    }
    for forbidden in [" style=", " onclick=", "<style", "javascript:", "<script>"] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
  }
}
