/**
 * The tools of a server, as its lists describe them. The hints of the server about a tool become part of the action,
 * because a person must approve a destructive call if no policy says otherwise. A server can lie, so a hint never
 * allows anything.
 */
import { fieldsOf } from '../messages/fields-of.ts';

const MOST_TOOLS = 10_000;
/** The maximum size of the definitions of a server, as JSON. Further tools are not known. */
const MOST_UNITS = 16 * 1024 * 1024;
/** The maximum number of pages of a list that the proxy itself reads. */
const MOST_PAGES = 64;
/** No further page is requested after this time. */
const MOST_LISTING_MS = 15_000;
const RETRY_MS = 30_000;

/** The name of each hint in the protocol, and its name in an action. */
const HINTS = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
} as const;

export type Hints = { [Name in (typeof HINTS)[keyof typeof HINTS]]?: boolean };

export type KnownTool = { name: string; definition: Readonly<Record<string, unknown>> };

/** Requests a page of the server's tools, and returns the result. Null: the server refused. */
export type ListPage = (params: { cursor?: string }) => Promise<unknown>;

export class KnownTools {
  readonly #tools = new Map<string, KnownTool>();
  /** The total length of the known definitions as JSON. */
  #units = 0;
  #listing: Promise<void> | null = null;
  /** After a failed read, the list is requested again only after this time. By `performance.now()`. */
  #notBeforeMs = 0;

  /** Reads a page of `tools/list`. Returns its tools. */
  note(result: unknown): readonly KnownTool[] {
    const { tools } = fieldsOf(result);
    if (!Array.isArray(tools)) return [];
    const page = tools.flatMap((tool: unknown) => {
      const definition = fieldsOf(tool);
      return typeof definition.name === 'string' ? [{ name: definition.name, definition }] : [];
    });
    for (const tool of page) this.#add(tool);
    return page;
  }

  /** Called when the server says that its tools have changed. */
  forget(): void {
    this.#tools.clear();
    this.#units = 0;
    this.#listing = null;
  }

  #add(tool: KnownTool): void {
    const known = this.#tools.get(tool.name);
    const units = unitsOf(tool) - (known === undefined ? 0 : unitsOf(known));
    const isMore = known === undefined && this.#tools.size >= MOST_TOOLS;
    if (isMore || this.#units + units > MOST_UNITS) return;
    this.#tools.set(tool.name, tool);
    this.#units += units;
  }

  /**
   * Returns a tool. If no list has named it yet, the list is read first. This happens once, and again after the server
   * says that the list changed. Null: the server lists no such tool, or no list could be read.
   */
  async find(name: string, page: ListPage): Promise<KnownTool | null> {
    const known = this.#tools.get(name);
    if (known !== undefined) return known;
    if (this.#listing === null && performance.now() < this.#notBeforeMs) return null;
    this.#listing ??= this.#list(page);
    await this.#listing;
    return this.#tools.get(name) ?? null;
  }

  async #list(page: ListPage): Promise<void> {
    let cursor: string | undefined;
    const untilMs = performance.now() + MOST_LISTING_MS;
    for (let pages = 0; pages < MOST_PAGES && performance.now() < untilMs; pages += 1) {
      const result = await page(cursor === undefined ? {} : { cursor }).catch(() => null);
      if (result === null) {
        this.#listing = null;
        this.#notBeforeMs = performance.now() + RETRY_MS;
        return;
      }
      this.note(result);
      const { nextCursor } = fieldsOf(result);
      if (typeof nextCursor !== 'string') return;
      cursor = nextCursor;
    }
  }
}

function unitsOf({ definition }: KnownTool): number {
  return JSON.stringify(definition).length;
}

/** Returns the hints of the server about a tool. Null: there are none. */
export function hintsOf(tool: KnownTool | null): Hints | null {
  const stated = fieldsOf(tool?.definition.annotations);
  const hints: Hints = Object.fromEntries(
    Object.entries(HINTS).flatMap(([hint, name]) => {
      const value = stated[hint];
      return typeof value === 'boolean' ? [[name, value]] : [];
    }),
  );
  return Object.keys(hints).length === 0 ? null : hints;
}
