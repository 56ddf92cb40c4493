/// How many jobs there were, by how they ended.
package struct Counts: Sendable {
  package var submitted = 0
  /// Their submitters were not answered.
  package var unanswered = 0
  /// They ran again because a run of theirs was cut off.
  package var ranAgain = 0
  /// They were accepted and have no outcome.
  package var lost = 0
  /// They were cancelled; answered as duplicates; replays of others; tried again after an attempt that failed.
  package var sorts = Sorts()
  /// The broker had confirmed them, nobody had heard that they were accepted, and they went with the broker's disk.
  package var gone = 0
  /// They have more than one outcome, in the ledger or in the stream.
  package var duplicate = 0

  package init() {}

  init(submitted: Int, unanswered: Int, ranAgain: Int, lost: Int, sorts: Sorts, gone: Int, duplicate: Int) {
    (self.submitted, self.unanswered, self.ranAgain, self.lost) = (submitted, unanswered, ranAgain, lost)
    (self.sorts, self.gone, self.duplicate) = (sorts, gone, duplicate)
  }

  /// How many jobs there were of the sorts that are no plain successes.
  package struct Sorts: Sendable {
    package var cancelled = 0
    package var duplicates = 0
    package var replays = 0
    package var retried = 0
  }
}
