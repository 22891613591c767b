/** Begins a session: where, with which model, with what first message; or goes on with an old one. */

import {
  LuvusError,
  type Luxe,
  type LuxeModel,
  type LuxeStored,
  type LuxeWish,
} from "@luvus/client";
import { useEffect, useRef, useState } from "preact/hooks";

import "./luxe.css";
import { age, money, shortPath } from "../state/format.js";
import { usePage, useSession } from "../state/hooks.js";
import { Dialog } from "../views/dialog.js";
import { PERMISSIONS } from "./controls.js";
import { useLuxe } from "./hooks.js";

/** Earlier sessions that are listed. */
const STORED = 20;

export function Start({ cwd: first, onClose }: { cwd: string | undefined; onClose(): void }) {
  const { go } = usePage();
  const session = useSession();
  const { client } = useLuxe();
  const dialog = useRef<HTMLDialogElement>(null);
  const folders = [...new Set(session.snapshot?.workspaces.map(({ cwd }) => cwd) ?? [])];
  const [cwd, setCwd] = useState(first ?? folders[0] ?? "");
  const [wish, setWish] = useState<LuxeWish>({});
  const [text, setText] = useState("");
  const [starting, setStarting] = useState(false);
  const [refused, setRefused] = useState<string>();
  const models = useModels();

  const open = async (asked: LuxeWish, prompt: string) => {
    if (starting) return;
    setStarting(true);
    setRefused(undefined);
    try {
      const id = await begin(client, asked, prompt);
      onClose();
      go({ place: "luxe", pane: undefined, session: id });
    } catch (error) {
      // Here, not in a toast: the dialog stands before those, and keeps what was written.
      setRefused((error as Error).message);
    } finally {
      setStarting(false);
    }
  };
  return (
    <Dialog class="start" dialog={dialog} label="Start Luxe" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void open({ ...wish, cwd }, text);
        }}
      >
        <h2>Start Luxe</h2>
        <label>
          <span>folder</span>
          <input
            list="luxe-folders"
            onInput={(event) => setCwd(event.currentTarget.value)}
            required
            value={cwd}
          />
          <datalist id="luxe-folders">
            {folders.map((folder) => (
              <option key={folder} value={folder} />
            ))}
          </datalist>
        </label>
        <textarea
          aria-label="First message"
          autoFocus
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void open({ ...wish, cwd }, text);
          }}
          placeholder="Say what to do, or leave it empty"
          rows={4}
          value={text}
        />
        <div class="choices">
          <Model models={models} onChoose={(model) => setWish({ ...wish, model })} />
          <select
            aria-label="Mode"
            onChange={({ currentTarget }) =>
              setWish({ ...wish, mode: currentTarget.value === "plan" ? "plan" : "build" })
            }
          >
            <option value="build">builds</option>
            <option value="plan">plans first</option>
          </select>
          <select
            aria-label="Permissions"
            onChange={({ currentTarget }) => {
              const mode = PERMISSIONS.find(([one]) => one === currentTarget.value)?.[0];
              setWish({ ...wish, permission_mode: mode ?? null });
            }}
          >
            {PERMISSIONS.map(([mode, said]) => (
              <option key={mode} value={mode}>
                {said}
              </option>
            ))}
          </select>
        </div>
        {refused !== undefined && (
          <p class="refused" role="alert">
            {refused}
          </p>
        )}
        <div class="answers">
          <button disabled={starting || cwd === ""} type="submit">
            start <kbd>↵</kbd>
          </button>
          <button onClick={() => dialog.current?.close()} type="button">
            not now
          </button>
        </div>
      </form>
      <Stored
        cwd={cwd}
        onOpen={(id) => {
          dialog.current?.close();
          go({ place: "luxe", pane: undefined, session: id });
        }}
        onResume={(id) => void open({ resume: id }, "")}
      />
    </Dialog>
  );
}

/** Open a session with its first message; none stays when that is refused. */
async function begin(client: Luxe, asked: LuxeWish, prompt: string): Promise<string> {
  const { session_id: id } = await client.open(asked);
  if (prompt.trim() === "") return id;
  try {
    await client.act(id, "submit_user_message", { text: prompt, images: [] });
  } catch (error) {
    // Nothing was said in it. Without a connection it stays, to be closed by hand.
    if (error instanceof LuvusError) await client.close(id).catch(() => undefined);
    throw error;
  }
  return id;
}

function useModels(): readonly LuxeModel[] {
  const { client } = useLuxe();
  const [models, setModels] = useState<readonly LuxeModel[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    // Without the list the configured model is used, and the session says what is wrong with it.
    client.models(leaving.signal).then(setModels, () => undefined);
    return () => leaving.abort();
  }, [client]);
  return models;
}

function Model(props: { models: readonly LuxeModel[]; onChoose(model: string | null): void }) {
  return (
    <select
      aria-label="Model"
      onChange={({ currentTarget }) => props.onChoose(currentTarget.value || null)}
    >
      <option value="">the usual model</option>
      {props.models.map((one) => {
        const name = `${one.provider}/${one.model}`;
        return (
          <option key={name} value={name}>
            {name}
          </option>
        );
      })}
    </select>
  );
}

interface StoredProps {
  cwd: string;
  /** Look at one that is open. */
  onOpen(id: string): void;
  onResume(id: string): void;
}

function Stored({ cwd, onOpen, onResume }: StoredProps) {
  const store = useLuxe();
  const [found, setFound] = useState<readonly LuxeStored[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    store.client.stored(cwd, leaving.signal).then(
      (sessions) => setFound(sessions.slice(0, STORED)),
      // A folder that is being typed has none.
      () => !leaving.signal.aborted && setFound([]),
    );
    return () => leaving.abort();
  }, [store.client, cwd]);
  if (found.length === 0) return null;
  return (
    <section>
      <h2>go on with an earlier one</h2>
      <ul class="stored">
        {found.map((one) => {
          const open = store.row(one.id) !== undefined;
          return (
            <li key={one.id}>
              <button
                class="plain"
                disabled={one.locked && !open}
                onClick={() => (open ? onOpen(one.id) : onResume(one.id))}
                title={one.locked && !open ? "another program has it open" : one.cwd}
                type="button"
              >
                <span class="cut">{one.title ?? one.first_message ?? shortPath(one.id)}</span>
                <span class="quiet">
                  {open ? "open" : age(Date.parse(one.updated_at), Date.now())} ·{" "}
                  {money(one.cost_usd ?? undefined)}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
