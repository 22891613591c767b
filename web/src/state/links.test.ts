import { expect, test } from "vitest";

import { mayOpen } from "./links.js";

test("pages and letters may be opened", () => {
  for (const address of ["http://a.test/", "HTTPS://a.test", "mailto:a@b.test"]) {
    expect(mayOpen(address), address).toBe(true);
  }
});

test("what runs something, reads something or says nothing may not", () => {
  const refused = [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "file:///etc/passwd",
    "vbscript:x",
    "blob:http://a.test/1",
    "http:a",
    "//a.test",
    "/logout",
    "",
    "ssh://a",
    "vscode://open",
  ];
  for (const address of refused) expect(mayOpen(address), address).toBe(false);
});
