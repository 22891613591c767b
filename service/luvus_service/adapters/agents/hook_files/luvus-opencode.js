// luvus-managed: tells Luvus which session is in this pane. Outside of Luvus it does nothing.
import { spawn } from "node:child_process"

const luvus = process.env.LUVUS_BIN_PATH
const pane = process.env.LUVUS_PANE_ID

function tell(...words) {
  const child = spawn(luvus, ["pane", ...words], { stdio: "ignore", detached: true })
  child.on("error", () => {})
  child.unref()
}

export const LuvusPlugin = async () => {
  if (!luvus || !pane) return {}
  let told = ""
  return {
    event: async ({ event }) => {
      const info = event?.properties?.info
      const id = event?.properties?.sessionID ?? info?.sessionID ?? info?.id
      if (typeof id === "string" && id.startsWith("ses_") && id !== told && !info?.parentID) {
        told = id
        tell("report-session", "--agent", "opencode", "--session-id", id)
      }
      if (event?.type === "session.idle" || event?.type === "permission.updated") {
        tell("report-event", "--agent", "opencode", "--kind", event.type)
      }
    },
  }
}
