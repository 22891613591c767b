/** A unified diff, line by line; what was added and removed is told by its sign too. */

import { useMemo, useState } from "preact/hooks";

/** Lines that are drawn before somebody asks for the rest. */
const LINES = 400;

export type LineKind = "add" | "remove" | "hunk" | "file" | "same";

export function kindOf(line: string): LineKind {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "file";
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "remove" : "same";
}

export function Diff({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const shown = all ? lines : lines.slice(0, LINES);
  return (
    <div class="diff">
      <pre aria-label={label} tabIndex={0}>
        {shown.map((line, index) => (
          <span class={kindOf(line)} key={index}>
            {line || " "}
            {"\n"}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button class="plain" onClick={() => setAll(true)} type="button">
          show {lines.length - shown.length} more lines
        </button>
      )}
    </div>
  );
}
