/** Components that are loaded when they are first shown. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const { say } = usePage();
    const [found, setFound] = useState(() => loaded);
    useEffect(() => {
      if (found !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setFound(() => component);
        },
        () => say("A part of the page could not be loaded; reload it once the server answers."),
      );
    }, [found, say]);
    const Found = found;
    return Found === undefined ? null : <Found {...props} />;
  };
}
