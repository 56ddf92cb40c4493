import JobModel

/// The limits of live news.
enum HubLimits {
  /// How many departments one stream shows with their jobs.
  static let departments = BoardQuery.mostDepartments
  /// How many all streams together show with their jobs. Of the others they have numbers.
  static let shown = 64
  /// How many jobs of a department are shown, in each of its lanes.
  static let rows = BoardQuery.defaultLimit
  /// How many of the last events are kept for those who come again.
  static let ring = 8_192
  /// How many events one message has at most.
  static let message = 200
  /// How many made messages are kept, for the streams that are to get the same.
  static let madeMessages = 8
  /// How much time lies between two messages of events.
  static let eventsPause: Duration = .milliseconds(50)
  /// How much time lies between two boards, when much happens.
  static let boardPause: Duration = .milliseconds(500)
  /// The same when nothing happens.
  static let quietBoardPause: Duration = .seconds(1)
  /// How often each stream hears that the page lives.
  static let beat: Duration = .seconds(2)
  /// How long the coordinator may take to answer before it counts as silent.
  static let silence: Duration = .seconds(3)
  /// How long a new stream waits for its first board, before it gets the last one that there is.
  static let firstBoard: Duration = .seconds(2)
  /// How long the notification stream is read on when nobody looks any more: most come again soon.
  static let linger: Duration = .seconds(60)
  /// How often it is looked what is due.
  static let tick: Duration = .milliseconds(100)
  /// How long the notification stream is left alone after it could not be read.
  static let readingPause: Duration = .seconds(1)
}
