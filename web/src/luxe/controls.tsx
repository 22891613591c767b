/** What is chosen for a session: its model, how much it thinks, what it may do without asking. */

import type { luxe, LuxeModel } from "@luvus/client";
import { useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";
import { Confirm } from "../views/confirm.js";
import { useLuxe } from "./hooks.js";
import type { LiveSession } from "./live.js";

export const PERMISSIONS: readonly [luxe.StateChanged["permission_mode"], string][] = [
  ["ask", "asks first"],
  ["accept_edits", "edits freely"],
  ["read_only", "reads only"],
  ["yolo", "never asks"],
];
const MODES: readonly [luxe.StateChanged["mode"], string][] = [
  ["build", "builds"],
  ["plan", "plans first"],
];

export function Controls({ live }: { live: LiveSession }) {
  const { about, say } = usePage();
  const [risky, setRisky] = useState(false);
  const { state, ready } = live.transcript;
  if (state === undefined) return null;
  const off = about.read_only || live.connection !== "live";
  const attempt = (work: Promise<void>) => void work.catch((error: Error) => say(error.message));
  const bound = ready?.read_only === true;
  return (
    <div class="controls">
      <ModelSelect live={live} off={off} />
      <Choice
        label="Thinking"
        off={off}
        onChoose={(level) => attempt(live.act("set_thinking_level", level))}
        options={levelsOf(state).map((level) => [level, `thinks: ${level}`])}
        value={state.thinking}
      />
      <Choice
        label="Mode"
        off={off}
        onChoose={(mode) => attempt(live.act("set_mode", mode))}
        options={MODES}
        value={state.mode}
      />
      <Choice
        label="Permissions"
        off={off || bound}
        onChoose={(mode) =>
          mode === "yolo" ? setRisky(true) : attempt(live.act("set_permission_mode", mode))
        }
        options={PERMISSIONS}
        value={state.permission_mode}
      />
      <label class="check">
        <input
          checked={state.auto_approve}
          disabled={off}
          onChange={(event) =>
            attempt(live.act("set_permission_auto_approve", event.currentTarget.checked))
          }
          type="checkbox"
        />{" "}
        says yes to everything
      </label>
      {risky && (
        <Confirm
          act="never ask"
          detail="Commands and edits run at once. What is denied stays denied."
          onAct={() => attempt(live.act("set_permission_mode", "yolo"))}
          onClose={() => setRisky(false)}
          question="Let this session do everything without asking?"
        />
      )}
    </div>
  );
}

function levelsOf({ model, thinking }: luxe.StateChanged): luxe.StateChanged["thinking"][] {
  return [...new Set(["off" as const, ...(model?.thinking_levels ?? []), thinking])];
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly (readonly [V, string])[];
  off: boolean;
  onChoose(value: V): void;
}

function Choice<V extends string>({ label, value, options, off, onChoose }: ChoiceProps<V>) {
  const known = options.some(([one]) => one === value);
  return (
    <select
      aria-label={label}
      disabled={off}
      onChange={(event) => {
        onChoose(event.currentTarget.value as V);
        // It shows what the session says, which may refuse.
        event.currentTarget.value = value;
      }}
      value={value}
    >
      {!known && <option value={value}>{value}</option>}
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** The models are asked for when somebody wants to choose, because their providers are asked then. */
function ModelSelect({ live, off }: { live: LiveSession; off: boolean }) {
  const { client } = useLuxe();
  const { say } = usePage();
  const [models, setModels] = useState<readonly LuxeModel[]>();
  const model = live.transcript.state?.model;
  const value = model ? `${model.provider}/${model.model}` : "";
  const names = new Set((models ?? []).map((one) => `${one.provider}/${one.model}`));
  const ask = () => {
    if (models !== undefined) return;
    client.models().then(setModels, (error: Error) => say(error.message));
  };
  const choose = (name: string) => {
    const chosen = models?.find((one) => `${one.provider}/${one.model}` === name);
    if (chosen === undefined) return;
    live
      .act("select_model", { provider: chosen.provider, model: chosen.model })
      .catch((error: Error) => say(error.message));
  };
  return (
    <select
      aria-label="Model"
      disabled={off}
      onChange={(event) => {
        choose(event.currentTarget.value);
        event.currentTarget.value = value;
      }}
      onFocus={ask}
      onPointerDown={ask}
      value={value}
    >
      {!names.has(value) && <option value={value}>{model?.name ?? "no model"}</option>}
      {(models ?? []).map((one) => {
        const name = `${one.provider}/${one.model}`;
        return (
          <option key={name} value={name}>
            {one.name === one.model ? name : `${one.name} · ${one.provider}`}
          </option>
        );
      })}
    </select>
  );
}
