/** Which failed panes this browser has put away; remembered for one server process only. */

const KEY = "luvus-dismissed";
/** More than a server remembers. */
const MOST = 64;

export class Dismissed {
  private generation = "";
  private keys: ReadonlySet<string> = new Set();

  constructor(private readonly store: Pick<Storage, "getItem" | "setItem"> = localStorage) {}

  /** Take the server process that is there now. */
  of(generation: string): void {
    if (generation === this.generation) return;
    this.generation = generation;
    this.keys = new Set(this.stored());
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  add(key: string): void {
    this.keys = new Set([...this.keys, key].slice(-MOST));
    try {
      const value = { generation: this.generation, keys: [...this.keys] };
      this.store.setItem(KEY, JSON.stringify(value));
    } catch {
      // A browser that stores nothing forgets it with the page.
    }
  }

  private stored(): string[] {
    try {
      const found = JSON.parse(this.store.getItem(KEY) ?? "{}") as {
        generation?: string;
        keys?: string[];
      };
      return found.generation === this.generation && Array.isArray(found.keys) ? found.keys : [];
    } catch {
      return [];
    }
  }
}
