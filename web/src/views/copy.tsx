/** Copying a text, with a word about what became of it; and a command with a button that does it. */

import { useCallback } from "preact/hooks";

import { usePage } from "../state/hooks.js";

/**
 * Copy a text and say so, and whether it could be; `said` is what the page calls it, the text itself
 * when it is left out.
 */
export function useCopy(): (text: string, said?: string) => Promise<boolean> {
  const { say } = usePage();
  return useCallback(
    async (text, said) => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        say("The browser does not let this page copy; select the text instead.");
        return false;
      }
      say(`Copied: ${said ?? text}`);
      return true;
    },
    [say],
  );
}

export function Command({ text }: { text: string }) {
  const copy = useCopy();
  return (
    <span class="command">
      <code>{text}</code>{" "}
      <button aria-label={`Copy ${text}`} onClick={() => void copy(text)} type="button">
        copy
      </button>
    </span>
  );
}
