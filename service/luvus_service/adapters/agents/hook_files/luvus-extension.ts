// luvus-managed: tells Luvus which session is in this pane. Outside of Luvus it does nothing.
import { spawn } from "node:child_process"

const luvus = process.env.LUVUS_BIN_PATH
const pane = process.env.LUVUS_PANE_ID
const agent = "@AGENT@"

function tell(...words: string[]) {
  const child = spawn(luvus as string, ["pane", ...words], { stdio: "ignore", detached: true })
  child.on("error", () => {})
  child.unref()
}

export default function (api: any) {
  if (!luvus || !pane) return
  const report = (_event: unknown, context: any) => {
    const id = context?.sessionManager?.getSessionId?.()
    if (typeof id === "string" && id) tell("report-session", "--agent", agent, "--session-id", id)
  }
  for (const name of ["session_start", "session_switch", "session_fork"]) api.on(name, report)
  api.on("agent_end", () => tell("report-event", "--agent", agent, "--kind", "agent_end"))
}
