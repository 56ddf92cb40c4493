internal import CProcess

/// The descriptors of this process: files, sockets, timers.
package enum Descriptors {
  /// How many the process may still open, and how many it may have.
  package static var left: (count: Int, limit: Int) {
    var limit = 0
    let count = teller_descriptors_left(&limit)
    return (count, limit)
  }

  /// So many stay free whatever is opened. Where none are left, parts of the system's libraries end the process: libdispatch
  /// does as soon as it looks how many of its threads run.
  package static let last = 4

  /// The words where fewer are left than are needed.
  package static func tooFew(_ left: (count: Int, limit: Int), needed: Int) -> String {
    """
    too few file descriptors: \(left.count) are left of \(left.limit), and \(needed) are needed; raise the limit \
    (LimitNOFILE=, ulimit -n)
    """
  }

  /// How many a server leaves to the rest of its process: for connections to the ledger and to the broker.
  package static func reserve(of limit: Int) -> Int { max(last, min(32, limit / 4)) }
}
