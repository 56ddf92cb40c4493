internal import CProcess

/// The descriptors of this process: files, sockets, timers.
package enum Descriptors {
  /// How many the process may still open, and how many it may have.
  package static var left: (count: Int, limit: Int) {
    var limit = 0
    let count = teller_descriptors_left(&limit)
    return (count, limit)
  }

  /// How many a server leaves to the rest of its process: for the ledger, and for connections to the broker. Where none are
  /// left, parts of the system's libraries end the process.
  package static func reserve(of limit: Int) -> Int { max(4, min(16, limit / 8)) }
}
