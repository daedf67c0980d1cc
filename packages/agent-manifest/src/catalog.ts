/**
 * The definitions of a manifest, as references find them: by key, by id, by `namespace.id` in a pack. An agent is also
 * found by its name, and a tool by its URI.
 */
import type {
  AgentDefinition,
  AgentManifest,
  InlineTool,
  ResourceDefinition,
  RiskLevel,
  SkillDefinition,
  ToolDefinition,
  ToolEntry,
} from '@mandate/schemas/agent-manifest';
import { isUri, nameOfRemoteTool, sameAddress } from './addresses.ts';

export type DefinitionKind = 'tool' | 'agent' | 'skill' | 'resource';

type OfKind = {
  tool: ToolDefinition;
  agent: AgentDefinition;
  skill: SkillDefinition;
  resource: ResourceDefinition;
};

/**
 * A definition with its place. A member of a pack has no key. `path` has the parts of `at` joined by dots. A key may
 * have dots too.
 */
export type Entry<Kind extends DefinitionKind> = {
  kind: Kind;
  at: readonly (string | number)[];
  path: string;
  key: string | null;
  /** The id in the document, otherwise the key. */
  id: string;
  /** The namespace of the pack. Null outside of packs, and in a pack without a namespace. */
  namespace: string | null;
  definition: OfKind[Kind];
};

type Index<Kind extends DefinitionKind> = {
  /** The definitions in the order of the document. */
  entries: readonly Entry<Kind>[];
  /**
   * The definitions by key, id and `namespace.id`. If more than two definitions match one reference, only the first two
   * are kept.
   */
  byReference: ReadonlyMap<string, readonly Entry<Kind>[]>;
};

export type Catalog = { readonly [Kind in DefinitionKind]: Index<Kind> } & {
  agentsByName: ReadonlyMap<string, readonly Entry<'agent'>[]>;
  toolsByAddress: ReadonlyMap<string, readonly Entry<'tool'>[]>;
  /** The keys of packs and of definitions without a type. References never find these. */
  others: ReadonlySet<string>;
};

export function catalogOf({ definitions = {} }: Pick<AgentManifest, 'definitions'>): Catalog {
  const tool = new Building<'tool'>();
  const agent = new Building<'agent'>();
  const skill = new Building<'skill'>();
  const resource = new Building<'resource'>();
  const others = new Set<string>();
  for (const [key, definition] of Object.entries(definitions)) {
    const at = ['definitions', key];
    const place = { at, path: at.join('.'), key, namespace: null };
    switch (definition.type) {
      case 'tool':
        tool.add({ ...place, kind: 'tool', id: definition.id ?? key, definition });
        break;
      case 'agent':
        agent.add({ ...place, kind: 'agent', id: definition.id ?? key, definition });
        break;
      case 'skill':
        skill.add({ ...place, kind: 'skill', id: definition.id ?? key, definition });
        break;
      case 'resource':
        resource.add({ ...place, kind: 'resource', id: key, definition });
        break;
      case 'tool_pack': {
        others.add(key);
        const namespace = definition.namespace ?? null;
        for (const [index, member] of (definition.tools ?? []).entries())
          tool.addMember('tool', [...at, 'tools', index], namespace, member);
        for (const [index, member] of (definition.agents ?? []).entries())
          agent.addMember('agent', [...at, 'agents', index], namespace, member);
        for (const [index, member] of (definition.skills ?? []).entries())
          skill.addMember('skill', [...at, 'skills', index], namespace, member);
        break;
      }
      default:
        others.add(key);
    }
  }
  const tools = tool.index();
  const agents = agent.index();
  return {
    tool: tools,
    agent: agents,
    skill: skill.index(),
    resource: resource.index(),
    agentsByName: grouped(agents.entries, ({ definition }) => definition.name ?? null),
    toolsByAddress: grouped(tools.entries, ({ definition }) => sameAddress(definition.uri)),
    others,
  };
}

class Building<Kind extends DefinitionKind> {
  readonly #entries: Entry<Kind>[] = [];
  readonly #aliases: { namespace: string; reference: string }[] = [];

  add(entry: Entry<Kind>): void {
    this.#entries.push(entry);
  }

  addMember(
    kind: Kind,
    at: Entry<Kind>['at'],
    namespace: string | null,
    member: string | (OfKind[Kind] & { id: string }),
  ): void {
    if (typeof member !== 'string') {
      const path = at.join('.');
      this.add({ kind, at, path, key: null, id: member.id, namespace, definition: member });
    } else if (namespace !== null) {
      this.#aliases.push({ namespace, reference: member });
    }
  }

  index(): Index<Kind> {
    const byReference = new Map<string, Entry<Kind>[]>();
    const refer = (reference: string, entry: Entry<Kind>) => {
      const found = byReference.get(reference);
      if (found === undefined) byReference.set(reference, [entry]);
      // Two definitions are enough to show that a reference is ambiguous. Keeping all would cost quadratic time in a
      // hostile document.
      else if (found.length < 2 && found[0] !== entry) found.push(entry);
    };
    for (const entry of this.#entries) {
      if (entry.key !== null) refer(entry.key, entry);
      refer(entry.id, entry);
      if (entry.namespace !== null) refer(`${entry.namespace}.${entry.id}`, entry);
    }
    for (const { namespace, reference } of this.#aliases) {
      for (const entry of byReference.get(reference) ?? []) refer(`${namespace}.${reference}`, entry);
    }
    return { entries: this.#entries, byReference };
  }
}

function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The reason why a reference leads to no definition. `wrong`: the reference leads to a definition of another type. */
export type NotFound = { found: 'missing' | 'wrong' | 'ambiguous' };
export type FoundEntry<Kind extends DefinitionKind> = { found: 'ok'; entry: Entry<Kind> };
/** A tool at an address that no definition has. */
export type FoundRemote = { found: 'remote'; uri: string; toolName: string };

export function findDefinition(
  catalog: Catalog,
  kind: 'tool',
  reference: string,
): FoundEntry<'tool'> | FoundRemote | NotFound;
export function findDefinition<Kind extends 'agent' | 'skill' | 'resource'>(
  catalog: Catalog,
  kind: Kind,
  reference: string,
): FoundEntry<Kind> | NotFound;
export function findDefinition(
  catalog: Catalog,
  kind: DefinitionKind,
  reference: string,
): FoundEntry<DefinitionKind> | FoundRemote | NotFound {
  const named = catalog[kind].byReference.get(reference);
  if (named !== undefined) return onlyOne(named);
  if (kind === 'agent') {
    const byName = catalog.agentsByName.get(reference);
    if (byName !== undefined) return onlyOne(byName);
  }
  if (kind === 'tool' && isUri(reference)) {
    const atAddress = catalog.toolsByAddress.get(sameAddress(reference));
    if (atAddress !== undefined) return onlyOne(atAddress);
    return { found: 'remote', uri: reference, toolName: nameOfRemoteTool(reference) };
  }
  return { found: isOtherDefinition(catalog, reference) ? 'wrong' : 'missing' };
}

function onlyOne<Kind extends DefinitionKind>(
  found: readonly Entry<Kind>[],
): FoundEntry<Kind> | { found: 'ambiguous' } {
  const [entry, second] = found;
  return entry === undefined || second !== undefined ? { found: 'ambiguous' } : { found: 'ok', entry };
}

function isOtherDefinition(catalog: Catalog, reference: string): boolean {
  const kinds: readonly DefinitionKind[] = ['tool', 'agent', 'skill', 'resource'];
  return catalog.others.has(reference) || kinds.some((kind) => catalog[kind].byReference.has(reference));
}

/** The name of a defined tool in Mandate. Policies, decisions and the audit have this name. */
export function toolNameOf({ id, namespace }: Pick<Entry<'tool'>, 'id' | 'namespace'>): string {
  return namespace === null ? id : `${namespace}.${id}`;
}

/** A tool of an agent. `risk` is null if the author of the manifest did not rate the tool. */
export type AgentTool = {
  /** The name in Mandate. */
  name: string;
  risk: RiskLevel | null;
  /** Null for an inline tool. */
  uri: string | null;
  description: string | null;
  /** The required SHA-256 of the tool, as 64 lower-case digits. Null: none is required. */
  hash: string | null;
  inline: InlineTool | null;
  /** The definition of the tool. Null for a tool that only the agent names. */
  entry: Entry<'tool'> | null;
};

/**
 * Returns the tool that an agent names. If a definition has the named address, the tool is that definition, with its
 * risk.
 */
export function findTool(catalog: Catalog, written: ToolEntry): { found: 'ok'; tool: AgentTool } | NotFound {
  if (typeof written === 'object' && written.type === 'inline')
    return { found: 'ok', tool: inlineTool(written) };
  const reference = typeof written === 'string' ? written : written.uri;
  const hash = typeof written === 'string' ? null : plainHash(written.hash);
  const read = findDefinition(catalog, 'tool', reference);
  if (read.found === 'remote') {
    const { toolName: name, uri } = read;
    return {
      found: 'ok',
      tool: { name, risk: null, uri, description: null, hash, inline: null, entry: null },
    };
  }
  if (read.found !== 'ok') return read;
  const { entry } = read;
  const { uri, risk_level: risk, description = null } = entry.definition;
  return {
    found: 'ok',
    tool: { name: toolNameOf(entry), risk, uri, description, hash, inline: null, entry },
  };
}

function inlineTool(inline: InlineTool): AgentTool {
  const { name, description, code_hash } = inline;
  return { name, risk: null, uri: null, description, hash: plainHash(code_hash), inline, entry: null };
}

function plainHash(written: string | undefined): string | null {
  return written === undefined ? null : written.replace(/^sha256:/, '').toLowerCase();
}
