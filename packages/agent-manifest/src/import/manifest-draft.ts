/** The manifest that an import builds. */
import { deepEqual, policyDocument, readShape } from '@mandate/schemas';
import {
  AGENT_MANIFEST_VERSION,
  type AgentManifest,
  type Definition,
  type PackDefinition,
} from '@mandate/schemas/agent-manifest';
import { readAgentManifest } from '../read/read-agent-manifest.ts';
import { ImportNotes, type NotePlace } from './import-notes.ts';
import type { Imported, ImportFormat, ImportOptions, ImportSource, ServerBinding } from './imported.ts';
import type { ImportedAgent } from './imported-agent.ts';
import { keyFor, UniqueNames } from './names.ts';
import { type Mention, ToolShelf } from './tool-shelf.ts';

/** The maximum number of reported faults of the finished manifest. */
const MOST_FAULTS = 20;

const LONGEST_NAME = 200;

/** The maximum number of servers with the same name. */
const MOST_OF_A_NAME = 100;

export class ManifestDraft {
  readonly options: ImportOptions;
  readonly notes = new ImportNotes();
  readonly tools = new ToolShelf(this.notes);
  readonly agents: ImportedAgent[] = [];
  /** The name from the files. It is used unless the options name the manifest. */
  name: string | null = null;
  version: string | null = null;
  /** True if the files say that only an authenticated person may use the agents. */
  requiresAuth = false;
  rest: Pick<AgentManifest, 'interface' | 'state' | 'policy' | 'workflow'> = {};
  readonly #keys = new UniqueNames();
  readonly #packs: (readonly [key: string, pack: PackDefinition])[] = [];
  readonly #servers = new Map<string, ServerBinding>();
  readonly #files: readonly ImportSource[];

  constructor(files: readonly ImportSource[], options: ImportOptions) {
    this.#files = files;
    this.options = options;
  }

  /** Returns a key that no other definition has. */
  keyFor(name: string, otherwise: string): string {
    return this.#keys.take(keyFor(name, otherwise));
  }

  addPack(key: string, pack: PackDefinition): void {
    this.#packs.push([key, pack]);
  }

  /**
   * Stores how to reach a server. Another server with the same name gets another name. `isNew` is false if the same
   * server was found before.
   */
  addServer(
    name: string,
    binding: ServerBinding,
    { place, path }: Mention,
  ): { address: string; isNew: boolean } {
    let address = name;
    for (let number = 2; number <= MOST_OF_A_NAME; number++) {
      const known = this.#servers.get(address);
      if (known === undefined) break;
      if (deepEqual(known, binding)) return { address, isNew: false };
      address = `${name}-${number}`;
    }
    if (address !== name) {
      const message = `the server is called mcp://${address}, because mcp://${name} is reached in another way`;
      this.notes.warn('SERVER_RENAMED', place, path, message);
    }
    this.#servers.set(address, binding);
    return { address, isNew: true };
  }

  serverNamed(name: string): ServerBinding | undefined {
    return this.#servers.get(name);
  }

  /** Returns the manifest with all its parts, or the faults. */
  finish(format: ImportFormat): Imported {
    const { notes } = this;
    if (notes.hasFaults) return { ok: false, faults: notes.faults, warnings: notes.warnings };
    // The manifest is read like any other manifest, so the result is valid.
    const read = readAgentManifest(JSON.stringify(this.#manifest(format)));
    const policies = this.agents.flatMap(({ limits }) => (limits === null ? [] : [limits]));
    const found = read.ok ? [] : read.faults.map(({ path, message }) => ({ path: path.split('.'), message }));
    for (const { agent, policy } of policies) {
      const shaped = readShape(policyDocument, { version: 1, id: agent, ...policy }, MOST_FAULTS);
      if (!shaped.ok)
        found.push(...shaped.faults.map(({ path, message }) => ({ path: path.map(String), message })));
    }
    for (const { path, message } of found)
      notes.fault('MANIFEST_INVALID', this.#wholeImport(), path, message);
    if (!read.ok || notes.hasFaults) return { ok: false, faults: notes.faults, warnings: notes.warnings };
    return {
      ok: true,
      manifest: read.manifest,
      policies,
      servers: Object.fromEntries(this.#servers),
      warnings: notes.warnings,
    };
  }

  #manifest(format: ImportFormat): unknown {
    const name = (this.options.name ?? this.name ?? '').trim();
    const definitions = this.#definitions();
    return {
      apiVersion: AGENT_MANIFEST_VERSION,
      kind: this.rest.workflow === undefined ? 'Agent' : 'Recipe',
      metadata: {
        name: name === '' ? format : [...name].slice(0, LONGEST_NAME).join(''),
        ...(this.version === null ? {} : { version: this.version }),
        imported_from: format,
        ...(this.requiresAuth ? { requires_auth: true } : {}),
      },
      ...this.rest,
      ...(definitions.length === 0 ? {} : { definitions: Object.fromEntries(definitions) }),
    };
  }

  #definitions(): (readonly [key: string, definition: Definition])[] {
    return [
      ...this.agents.map(({ key, definition }) => [key, definition] as const),
      ...[...this.tools.definitions].map(([id, definition]) => {
        const key = this.#keys.take(id);
        return [key, key === id ? definition : { ...definition, id }] as const;
      }),
      ...this.#packs,
    ];
  }

  #wholeImport(): NotePlace {
    const name = this.#files[0]?.path ?? '';
    return { name, find: () => ({ line: 1, column: 1 }) };
  }
}

/** Warns that an entry means every tool, and that none is allowed. */
export function warnNotNamed(
  draft: ManifestDraft,
  { place, path, means }: { place: NotePlace; path: readonly PropertyKey[]; means: string },
  known: readonly string[],
): void {
  draft.notes.warn('TOOLS_NOT_NAMED', place, path, () => {
    const names = known.slice(0, MOST_NAMES).join(', ') + (known.length > MOST_NAMES ? ', …' : '');
    const list =
      known.length === 0
        ? 'Their names are not known: name them'
        : `Name them, or import with --tools all. Known: ${names}`;
    return `${means}, so none is allowed. ${list}`;
  });
}

const MOST_NAMES = 40;
