/** Colours written #rrggbb: mixed, and made readable. Pure. */

type Rgb = readonly [number, number, number];

/** The contrast of text that WCAG 2 calls AA. */
export const AA = 4.5;
const STEPS = 20;

/** Return a colour between two; 0 is the first. */
export function mix(a: string, b: string, part: number): string {
  const [from, to] = [rgb(a), rgb(b)];
  return hex(from.map((value, at) => value + (to[at]! - value) * part) as unknown as Rgb);
}

/** Return the contrast of two colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Return the colour nearest to the given one that is readable on a background. */
export function readable(colour: string, background: string, least = AA): string {
  const far = luminance(background) > 0.18 ? "#000000" : "#ffffff";
  for (let step = 0; step < STEPS; step += 1) {
    const tried = mix(colour, far, step / STEPS);
    if (contrast(tried, background) >= least) return tried;
  }
  return far;
}

function rgb(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function hex(colour: Rgb): string {
  return `#${colour.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}

function luminance(colour: string): number {
  const [r, g, b] = rgb(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
