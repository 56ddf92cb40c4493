import AuditSupport
import Decisions
import JobModel

// A schedule makes what the configuration says, as long as it is there.
extension CoordinatorNode {
  /// A job was accepted just now. If a schedule has made it, that is in the configuration, with these settings.
  func checkFiring(_ job: JobIdentity) {
    guard job.kind == "tick", !isReconfigured, second == nil else { return }
    let fired = Setting.scheduleNames.first { isFiring(job.id, of: $0) }
    guard let schedule = configuration.schedules.first(where: { $0.name == fired }) else {
      // Of a job that no firing has the id of, nobody knows which schedule has made it.
      guard fired != nil || configuration.schedules.isEmpty else { return }
      return fail("fires a schedule that is not in its configuration any more")
    }
    let department = schedule.department ?? configuration.department(of: schedule.kind)
    if department != job.department { fail("has schedule \(schedule.name) make a job in \(job.department)") }
    let wanted = (schedule.priority ?? .normal).level
    if let level = try? file.reading.level(of: job.id), level != wanted {
      fail("has schedule \(schedule.name) make a job of level \(level), and not of \(wanted)")
    }
  }

  private func fail(_ text: String) { world.failures.append("\(name) \(text)") }

  /// Whether that is the job of a firing of a schedule of each minute: of now, or of one that was missed.
  private func isFiring(_ job: JobID, of schedule: String) -> Bool {
    let (now, minute) = (clock.wall.milliseconds, CoordinatorNode.minute)
    return (-2...CronSchedule.mostMissed + 2).contains { ago in
      job == JobID(schedule: schedule, firedAt: Timestamp(milliseconds: (now / minute - Int64(ago)) * minute))
    }
  }

  private static let minute: Int64 = 60_000
}

extension Setting {
  /// The schedules that any configuration may have.
  static let scheduleNames = ["tick", "tock"]
}
