/**
 * Pins the tools of a server: the first definition of each tool is written to a file. A tool with a changed definition
 * is then blocked until a person accepts the new definition. Otherwise a server could change a tool, or its description
 * for the model, after people have allowed the tool.
 *
 * The agent must not be able to write the file.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { canonicalJson } from '../govern/canonical-json.ts';
import type { KnownTool } from '../govern/known-tools.ts';
import { fieldsOf } from '../messages/fields-of.ts';
import { decoded } from '../messages/split-lines.ts';

type Definition = { digest: string; seenAt: string; definition: unknown };

/** `changed`: a new definition that a person has not accepted yet. */
export type Pin = Definition & { changed?: Definition };
export type PinFile = { version: 1; tools: { [name: string]: Pin } };

/** Thrown if the file cannot be read or written. Then no tool can be used. */
class PinsUnusable extends Error {
  constructor(path: string, cause: unknown) {
    super(
      `The file of pinned tools ${path} cannot be used: ${cause instanceof Error ? cause.message : cause}`,
    );
    this.name = 'PinsUnusable';
  }
}

export class ToolPins {
  readonly #path: string;
  /** Checks run one after another, because each may change the file. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Pins all tools that are not pinned yet. Returns the names of the tools with another definition than the pinned one.
   *
   * @throws PinsUnusable
   */
  check(tools: readonly KnownTool[]): Promise<ReadonlySet<string>> {
    const checked = this.#last.then(() => this.#check(tools));
    this.#last = checked.catch(() => {});
    return checked;
  }

  async #check(tools: readonly KnownTool[]): Promise<ReadonlySet<string>> {
    const file = await readPins(this.#path);
    const seenAt = new Date().toISOString();
    const changed = new Set<string>();
    let isNew = false;
    for (const { name, definition } of tools) {
      const digest = digestOf(definition);
      const pin = Object.hasOwn(file.tools, name) ? file.tools[name] : undefined;
      if (pin?.digest === digest) {
        isNew ||= pin.changed !== undefined;
        delete pin.changed;
        continue;
      }
      const seen = { digest, seenAt, definition };
      if (pin === undefined) file.tools[name] = seen;
      else {
        changed.add(name);
        if (pin.changed?.digest === digest) continue;
        pin.changed = seen;
      }
      isNew = true;
    }
    if (isNew) await writePins(this.#path, file);
    return changed;
  }
}

/** @throws PinsUnusable */
export async function readPins(path: string): Promise<PinFile> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return { version: 1, tools: Object.create(null) };
    throw new PinsUnusable(path, error);
  }
  try {
    const { version, tools } = fieldsOf(JSON.parse(decoded(bytes) ?? ''));
    if (version !== 1 || typeof tools !== 'object') throw new Error('it has another format');
    return { version, tools: Object.assign(Object.create(null), tools) };
  } catch (error) {
    throw new PinsUnusable(path, error);
  }
}

/** @throws PinsUnusable */
export async function writePins(path: string, file: PinFile): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  try {
    await writeFile(next, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    await rename(next, path);
  } catch (error) {
    throw new PinsUnusable(path, error);
  }
}

/** The order of keys does not count. `_meta` does not count either, because it may differ in each answer. */
function digestOf({ _meta, ...definition }: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
