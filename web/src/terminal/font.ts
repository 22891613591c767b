/** The bundled font, loaded before the first terminal measures its cells. */

const SIZE = 13;
/** A terminal in another font is better than none. */
const PATIENCE_MS = 3_000;

export const FONT = '"JetBrains Mono", ui-monospace, monospace';
export const FONT_SIZE = SIZE;

/** Return when the font can be measured, or cannot be had. */
export async function fontReady(): Promise<void> {
  const wanted = ["", "bold "].map((weight) => document.fonts.load(`${weight}${SIZE}px ${FONT}`));
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  await Promise.race([Promise.allSettled(wanted), late]);
}
