import Foundation
import TestSupport
import Testing

@testable import BankExample

@Suite("The files of the bank's screen in the program")
struct BankFilesTests {
  @Test("are those of the folder, each as it is")
  func all() throws {
    let folder = PackageFolder.url.appending(path: "Sources/CBankPage/web")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    #expect(Set(BankScreen.files.keys) == Set(names), "Sources/CBankPage/assets.c lists each file")
    for (name, bytes) in BankScreen.files {
      #expect(bytes == Array(try Data(contentsOf: folder.appending(path: name))), "\(name): build again")
    }
  }
}
