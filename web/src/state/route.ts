/** The places of the page and their addresses: `/`, `/terminals/<pane>`, `/activity`, `/luxe/<id>`. */

export type Place = "overview" | "terminals" | "activity" | "luxe";

export interface Route {
  place: Place;
  /** The pane that is shown. */
  pane: string | undefined;
  /** The agent session that is shown. */
  session?: string | undefined;
}

const PANE = /^[1-9][0-9]{0,9}$/;
const SESSION = /^[0-9a-f-]{1,64}$/;

export function parse(path: string): Route {
  const [place, pane] = path.split("/").filter(Boolean);
  if (place === "activity") return { place, pane: undefined };
  if (place === "luxe") {
    const session = pane !== undefined && SESSION.test(pane) ? pane : undefined;
    return { place, pane: undefined, session };
  }
  if (place !== "terminals") return { place: "overview", pane: undefined };
  return { place, pane: pane !== undefined && PANE.test(pane) ? pane : undefined };
}

export function address(route: Route): string {
  if (route.place === "overview") return "/";
  if (route.place === "luxe") return route.session ? `/luxe/${route.session}` : "/luxe";
  return route.pane === undefined ? `/${route.place}` : `/${route.place}/${route.pane}`;
}
