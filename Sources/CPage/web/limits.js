/**
 * Every limit of the page, by name. The page holds no more than this, however many jobs there are.
 * Times are in milliseconds.
 */
export const LIMITS = Object.freeze({
  /** Departments in the table of the overview. */
  departmentRows: 200,
  /** Rows of each lane, "waiting" and "served". The server sends no more. */
  laneRows: 50,
  /** Jobs in one page of a list. */
  jobRows: 50,
  /** Rows of any other list. */
  listRows: 200,
  /** How many parts of the list are looked through for one group of a search: each looks at thousands of jobs. */
  foundParts: 20,
  /** Jobs of one group of a search. */
  foundRows: 8,
  /** A key alone is looked for in so many kinds. */
  foundKinds: 20,
  /** Events that wait for the next frame. The oldest go first: the next board has the truth. */
  bufferedEvents: 2_000,
  /** Runs that a Gantt chart remembers and draws. */
  ganttRuns: 400,
  /** Tellers that a Gantt chart shows. */
  ganttLanes: 16,
  /** Workers that are named for one lane of a Gantt chart, and characters of such a name. */
  laneNames: 3,
  nameInChart: 60,
  /** How far a Gantt chart looks back. */
  ganttTime: 3 * 60_000,
  /** The shortest time between two drawings of a Gantt chart. */
  ganttPause: 500,
  /** Numbers of waiting jobs that a small curve remembers, one a second. */
  curvePoints: 120,
  /** Notices that are shown at once. */
  notices: 4,
  /** How long a notice stays that reports no error. */
  noticeTime: 7_000,
  /** The shortest time between two notices about failed jobs. */
  failureNoticePause: 15_000,
  /** Workers whose tellers are added up before a resize, and those that have a field in its dialog. */
  collectedWorkers: 1_000,
  resizedWorkers: 40,
  /** Characters of a payload or a result that are shown. */
  shownCharacters: 100_000,
  /** Answers that are added up for the counts of failed jobs. */
  failurePages: 20,
  /** How long a form whose fate is not known is sent again as the same action. */
  formTime: 60_000,
  /** How long one request may take. */
  requestTime: 30_000,
  /** How often a window says to the stream that it shares with others that it is still there. */
  hereTime: 5_000,
  /** Without a message for this long the stream is slow, and is soon opened again. */
  silence: 5_000,
  /** The first wait before a slow or broken stream is opened again. Each further one is twice as long. */
  firstReconnect: 1_000,
  /** The longest of these waits. */
  longestReconnect: 15_000,
  /** The pause between two looks at a running operation. */
  operationPause: 500,
  /** The pause between two looks at a list. */
  listPause: 10_000,
  /** The pause between two looks at one job that has not ended. */
  jobPause: 3_000,
  /** The shortest pause between an event about a job and the next look at it. */
  eventPause: 300,
});
