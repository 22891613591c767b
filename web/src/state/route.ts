/** The places of the page and their addresses: `/`, `/terminals/<pane>`, `/activity`. */

export type Place = "overview" | "terminals" | "activity";

export interface Route {
  place: Place;
  /** The pane that is shown. */
  pane: string | undefined;
}

const PANE = /^[1-9][0-9]{0,9}$/;

export function parse(path: string): Route {
  const [place, pane] = path.split("/").filter(Boolean);
  if (place === "activity") return { place, pane: undefined };
  if (place !== "terminals") return { place: "overview", pane: undefined };
  return { place, pane: pane !== undefined && PANE.test(pane) ? pane : undefined };
}

export function address(route: Route): string {
  if (route.place === "overview") return "/";
  return route.pane === undefined ? `/${route.place}` : `/${route.place}/${route.pane}`;
}
