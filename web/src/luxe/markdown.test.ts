import { Lexer } from "marked";
import { expect, test } from "vitest";

import { kindOf } from "./diff.js";
import { extend } from "./markdown.js";

const TEXT = `# Title

One *two* three.

- a
- b
  - c

\`\`\`python
print(1)

# no heading
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted
> more

Last line.
`;

test("a text that grows is cut as if it had come at once, wherever it is cut", () => {
  const whole = new Lexer({ gfm: true }).lex(TEXT).map(({ type, raw }) => [type, raw]);

  for (const step of [1, 3, 7, 40]) {
    let known: Parameters<typeof extend>[0] = { text: "", tokens: [] };
    for (let end = step; end < TEXT.length + step; end += step) {
      const text = TEXT.slice(0, end);
      known = { text, tokens: extend(known, text) };
    }
    expect(known.tokens.map(({ type, raw }) => [type, raw])).toEqual(whole);
  }
});

test("a long text that grows is not read again from its beginning", () => {
  const text = "A paragraph of words.\n\n".repeat(2_000);
  const known = { text, tokens: extend({ text: "", tokens: [] }, text) };

  const grown = extend(known, `${text}More.`);

  expect(grown[0]).toBe(known.tokens[0]);
  expect(grown.length).toBeGreaterThan(known.tokens.length);
});

test("another text is read whole", () => {
  const known = { text: TEXT, tokens: extend({ text: "", tokens: [] }, TEXT) };

  expect(extend(known, "Other.").map(({ raw }) => raw)).toEqual(["Other."]);
});

test.each([
  ["+++ b/x", "file"],
  ["--- a/x", "file"],
  ["@@ -1 +1 @@", "hunk"],
  ["+new", "add"],
  ["-old", "remove"],
  [" same", "same"],
  ["", "same"],
])("the line %j of a diff is of the kind %s", (line, kind) => {
  expect(kindOf(line)).toBe(kind);
});
