/** Components that are loaded when they are first shown. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const { say } = usePage();
    const [found, setFound] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (found !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setFound(() => component);
        },
        () => {
          setFailed(true);
          say("A part of the page could not be loaded.");
        },
      );
    }, [found, say]);
    const Found = found;
    if (Found !== undefined) return <Found {...props} />;
    return failed ? <Unloaded /> : null;
  };
}

/** A server of another version has other files: only a page that is loaded anew knows them. */
function Unloaded() {
  return (
    <p class="empty state-failed" role="alert">
      This part of the page could not be loaded.{" "}
      <button onClick={() => location.reload()} type="button">
        load the page again
      </button>
    </p>
  );
}
