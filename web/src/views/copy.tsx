/** A command and a button that copies it. */

import { usePage } from "../state/hooks.js";

export function Command({ text }: { text: string }) {
  const { say } = usePage();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => say(`Copied: ${text}`),
      () => say("The browser does not let this page copy; select the command instead."),
    );
  };
  return (
    <span class="command">
      <code>{text}</code>{" "}
      <button aria-label={`Copy ${text}`} onClick={copy} type="button">
        copy
      </button>
    </span>
  );
}
