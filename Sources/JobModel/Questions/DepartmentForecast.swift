/// When a department will be through with its jobs, at a rate that the last minute bears out, and what one more teller would
/// change.
///
/// It is a forecast, not a promise: it takes for granted that arrivals, runs and tellers stay as they were. It counts the
/// jobs that wait or run, and none that is held until a time, or until other jobs have ended. It does not know which of
/// the jobs to come will be more urgent. ``past`` says how wrong the last forecasts were.
public struct DepartmentForecast: Hashable, Sendable {
  /// Where the department is going.
  public var course: Course
  /// Why there is no forecast; nil: there is one.
  public var reason: Silence?
  /// How many runs the forecast is made from.
  public var samples: Int
  /// How many jobs an hour are accepted. 0 also where there is no forecast.
  public var acceptedPerHour: Int
  /// How many jobs an hour the tellers can serve. 0: there is no forecast.
  public var capacityPerHour: Int
  /// What part of their time the tellers are needed, by these two, in thousandths: above 1000 more jobs come than can be
  /// served. Nil: there is no forecast, or clearly more or fewer jobs came in the last minute than ``acceptedPerHour`` says, such
  /// as those of a burst that is over.
  public var loadPermille: Int?
  /// By how many jobs an hour the department grows, of the course ``Course/grows``: not more than it grew in the last
  /// minute.
  public var growsPerHour: Int?
  /// How wrong the last forecasts were; nil: none has come to its time.
  public var past: ForecastErrors?

  private var drainsInMs: Int64?
  private var drainsInWithOneMoreMs: Int64?
  private var emptiesInMs: Int64?
  private var waitMs: Int64?
  private var waitWithOneMoreMs: Int64?

  /// How many runs a forecast needs.
  public static let fewestSamples = 30
  /// The longest time of a forecast: a year.
  package static let longest: Duration = .seconds(365 * 24 * 3_600)

  package init(
    course: Course, reason: Silence? = nil, samples: Int = 0, acceptedPerHour: Int = 0, capacityPerHour: Int = 0,
    loadPermille: Int? = nil, growsPerHour: Int? = nil, past: ForecastErrors? = nil
  ) {
    (self.course, self.reason, self.samples) = (course, reason, samples)
    (self.acceptedPerHour, self.capacityPerHour) = (acceptedPerHour, capacityPerHour)
    (self.loadPermille, self.growsPerHour, self.past) = (loadPermille, growsPerHour, past)
  }

  /// When all jobs that wait or run now are done; later ones stand behind them. Nil: there is none, or no forecast.
  public var drainsIn: Duration? {
    get { drainsInMs.map { .milliseconds($0) } }
    set { drainsInMs = newValue.map(DepartmentForecast.bounded) }
  }

  /// The same with one more teller. Nil as ``drainsIn``; also where one more teller would change nothing: the department is
  /// ordered, or has as many tellers as its `cap`.
  public var drainsInWithOneMore: Duration? {
    get { drainsInWithOneMoreMs.map { .milliseconds($0) } }
    set { drainsInWithOneMoreMs = newValue.map(DepartmentForecast.bounded) }
  }

  /// The time that people are shown; nil: none. Without a backlog it says nothing.
  package var shownDrainTime: Duration? { course == .drains || course == .grows ? drainsIn : nil }

  /// When no job waits any more, with those that come meanwhile, of the course ``Course/drains``. Nil also when the department
  /// did not shrink in the last half-minute.
  public var emptiesIn: Duration? {
    get { emptiesInMs.map { .milliseconds($0) } }
    set { emptiesInMs = newValue.map(DepartmentForecast.bounded) }
  }

  /// How long a job waits on average before it runs, of the course ``Course/steady``. Nil also when the last minute does not
  /// bear it out: no job came, clearly more or fewer came than usual, or fewer ever waited than would have to.
  public var wait: Duration? {
    get { waitMs.map { .milliseconds($0) } }
    set { waitMs = newValue.map(DepartmentForecast.bounded) }
  }

  /// The same with one more teller.
  public var waitWithOneMore: Duration? {
    get { waitWithOneMoreMs.map { .milliseconds($0) } }
    set { waitWithOneMoreMs = newValue.map(DepartmentForecast.bounded) }
  }

  private static func bounded(_ time: Duration) -> Int64 { min(max(.zero, time), longest).milliseconds }

  /// Where a department is going: a short, stable word. A later version may have words that are none of these.
  public struct Course: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, as it is written on the wire.
    public let rawValue: String

    /// The course of a word, whether it is known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no forecast: ``DepartmentForecast/reason``.
    public static let silent = Course(rawValue: "silent")
    /// No job waits or runs, and none has come lately.
    public static let idle = Course(rawValue: "idle")
    /// Jobs wait, and their number does not grow.
    public static let drains = Course(rawValue: "drains")
    /// As many jobs come as can be served, or more, and more wait than a minute ago: at this rate the department will not
    /// drain.
    public static let grows = Course(rawValue: "grows")
    /// The tellers keep up with what comes, and there is no backlog.
    public static let steady = Course(rawValue: "steady")
  }

  /// Why there is no forecast: a short, stable word. A later version may have words that are none of these.
  public struct Silence: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, as it is written on the wire.
    public let rawValue: String

    /// The reason of a word, whether it is known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Fewer than 30 runs were seen in the last hour.
    public static let fewSamples = Silence(rawValue: "few_samples")
    /// Nobody serves the department.
    public static let noTellers = Silence(rawValue: "no_tellers")
    /// All jobs that wait are without a handler, or are suspects: nobody can take one now.
    public static let blocked = Silence(rawValue: "blocked")
    /// The department is paused, waits for a plan, or is not configured.
    public static let closed = Silence(rawValue: "closed")
    /// Fewer jobs ended in the last minute than the runs before it promise.
    public static let unsteady = Silence(rawValue: "unsteady")
  }
}

extension DepartmentForecast: Codable {
  enum CodingKeys: String, CodingKey {
    case course, reason, samples, past
    case acceptedPerHour = "accepted_per_hour"
    case capacityPerHour = "capacity_per_hour"
    case loadPermille = "load_permille"
    case growsPerHour = "grows_per_hour"
    case drainsInMs = "drains_in_ms"
    case drainsInWithOneMoreMs = "drains_in_with_one_more_ms"
    case emptiesInMs = "empties_in_ms"
    case waitMs = "wait_ms"
    case waitWithOneMoreMs = "wait_with_one_more_ms"
  }
}

/// How wrong the last forecasts of a department were, each held against the time that it really took: the difference by the
/// longer one of both times, in thousandths, so at most 1000. Only forecasts count that were shown, of a second or more. None
/// counts that a pause has crossed, the end of a job that has not run (one that was cancelled, or came too late), or a failed
/// attempt that is made again later. At most eight forecasts are under way at once.
public struct ForecastErrors: Hashable, Sendable, Codable {
  /// How many forecasts these are; at most 32, the last ones.
  public var count: Int
  /// Half of them were less wrong than this.
  public var medianPermille: Int
  /// The worst one.
  public var worstPermille: Int

  package init(count: Int, medianPermille: Int, worstPermille: Int) {
    (self.count, self.medianPermille, self.worstPermille) = (count, medianPermille, worstPermille)
  }

  enum CodingKeys: String, CodingKey {
    case count
    case medianPermille = "median_permille"
    case worstPermille = "worst_permille"
  }
}
