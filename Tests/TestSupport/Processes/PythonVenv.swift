package import Foundation

/// A Python that has pika, to meet clients that are not Teller's own.
package enum PythonVenv {
  /// Its executable: what `TELLER_TEST_PYTHON` names, else the environment that `Deploy/test` makes in
  /// `.build/test-venv`.
  /// - Throws: `PythonMissing` when neither is there.
  package static func pika() throws -> URL {
    let given = ProcessInfo.processInfo.environment["TELLER_TEST_PYTHON"].map { URL(filePath: $0) }
    let python = given ?? PackageFolder.url.appending(path: ".build/test-venv/bin/python")
    guard FileManager.default.isExecutableFile(atPath: python.path) else { throw PythonMissing(path: python.path) }
    return python
  }
}

/// There is no Python with pika.
package struct PythonMissing: Error, CustomStringConvertible {
  /// Where it was looked for.
  package let path: String

  package var description: String { "\(path) is not there: Deploy/test makes it" }
}
