import ArgumentParser
import Teller

struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Starts, shows, lists and stops plans.",
    discussion: """
      A plan has steps that run by rank in an ordered department. A plan of the coordinator's teller.yaml (`plans:`) is \
      started by its name. It runs, and then it is open, or it has failed.

        phase         meaning
        not_started   the plan was never started
        running       steps or events have not ended
        open          all steps and events have ended, and the required steps
                      have succeeded; its gates are open
        failed        a required step has failed; its gates stay shut
        stopped       somebody has stopped it, or cancelled a required step,
                      or its handler has discarded it

      Behind a gate is a department: its jobs are held until the plan is open.

      EXAMPLES:
        teller plan start opening --wait
        teller plan show opening
        teller plan list
        teller plan stop opening --gates keep
      """,
    subcommands: [PlanStartCommand.self, PlanShowCommand.self, PlanListCommand.self, PlanStopCommand.self])
}
