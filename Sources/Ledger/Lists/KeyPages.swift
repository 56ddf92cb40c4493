package import JobModel

/// A key of the ledger, with its place in the list of keys.
package struct ListedKey: Hashable, Sendable {
  package var position: JobKey
  package var record: KeyRecord
}

extension LedgerQueries {
  /// The next keys behind a place, by kind and key: those of a kind, or of all kinds; at most `limit`. Some of them may be
  /// free by now, since the ledger gives keys back a while after their windows. Only the keys of the page are looked at.
  package func keys(of kind: JobKind?, after position: JobKey?, limit: Int) throws -> [ListedKey] {
    if let kind {
      // A place in another kind is before all keys of this one, or behind them.
      if let position, position.kind > kind { return [] }
      let after = position?.kind == kind ? position?.key ?? "" : ""
      return try statements.all(KeyLists.ofKind, kind, after, limit, decode: LedgerQueries.key)
    }
    return try statements.all(
      KeyLists.ofAllKinds, position?.kind.name ?? "", position?.key ?? "", limit, decode: LedgerQueries.key)
  }

  private static func key(_ row: Cells) throws -> ListedKey {
    ListedKey(
      position: JobKey(kind: try row[0], key: try row[1]),
      record: KeyRecord(job: try row[2], until: try row[3], state: try row[4]))
  }
}

/// The statements of lists of keys: each reads the keys of its page alone.
enum KeyLists {
  /// A key that was reset has no job.
  private static let columns = """
    SELECT kind, text, job, iif(number > \(KeyResets.ofRow), until, 0),
      iif(number > \(KeyResets.ofRow), (SELECT state FROM job WHERE id = key.job), NULL)
    FROM key
    """

  static let ofKind = "\(columns) WHERE kind = ? AND text > ? ORDER BY text LIMIT ?"
  static let ofAllKinds = "\(columns) WHERE (kind, text) > (?, ?) ORDER BY kind, text LIMIT ?"
}
