/** Compares the definitions of two manifests, with the defaults filled in. */
import type {
  AgentDefinition,
  Definition,
  McpServer,
  PackDefinition,
  SkillDefinition,
  ToolDefinition,
} from '@mandate/schemas/agent-manifest';
import { type Agents, LIMITS } from './agents-given.ts';
import { type Change, changeAt } from './change.ts';
import {
  type FieldRule,
  type FieldRules,
  fieldChanged,
  fieldsChanged,
  keysOf,
  limitWidens,
  otherWidens,
  setChanged,
} from './fields.ts';
import { referencesOf } from './identity.ts';
import { PRICING } from './pricing.ts';
import { interfaceChanged } from './sides.ts';
import { riskWidens, toolsChanged } from './tools.ts';

type Definitions = Readonly<Record<string, Definition>>;

/**
 * `given`: the identities of new agents that get more than any agent had. `isBeyond`: true for the identity of an agent
 * with a tool that the workflow could not reach before.
 */
export type Compared = {
  was: Agents;
  is: Agents;
  given: ReadonlySet<string>;
  isBeyond: (identity: string) => boolean;
};

const PATCH: FieldRule = { category: 'PATCH' };
const FEATURE: FieldRule = { category: 'FEATURE' };
const BREAKING: FieldRule = { category: 'BREAKING' };
const GOVERNANCE: FieldRule = { category: 'GOVERNANCE' };
const RESOURCE: FieldRule = { category: 'RESOURCE' };
const LIMIT_OF_MODEL: FieldRule = { category: 'RESOURCE', widens: limitWidens };
const ADDRESS: FieldRule = { category: 'GOVERNANCE', widens: otherWidens };

export function definitionsChanged(
  was: Definitions = {},
  is: Definitions = {},
  compared: Compared,
): Change[] {
  return keysOf(was, is).flatMap((key) => {
    const path = `definitions.${key}`;
    const [before, after] = [definitionAt(was, key), definitionAt(is, key)];
    if (before !== undefined && after !== undefined && before.type === after.type)
      return definitionChanged(path, before, after, compared);
    const category = before === undefined ? 'FEATURE' : 'BREAKING';
    const widens = after !== undefined && bringsMore(path, after, compared) ? true : null;
    return [changeAt(path, before, after, { category, widens })];
  });
}

function definitionAt(definitions: Definitions, key: string): Definition | undefined {
  return Object.hasOwn(definitions, key) ? definitions[key] : undefined;
}

/** True if a new definition alone gives an agent more. A tool gives nothing until an agent names it. */
function bringsMore(path: string, definition: Definition, { given }: Compared): boolean {
  if (definition.type === 'agent') return given.has(path);
  if (definition.type !== 'tool_pack') return false;
  const { agents = [], mcp_servers = [] } = definition;
  return mcp_servers.length > 0 || agents.some((agent) => given.has(memberPath(path, 'agents', agent)));
}

function memberPath(path: string, list: string, member: string | { id: string }): string {
  return `${path}.${list}.${typeof member === 'string' ? member : member.id}`;
}

function definitionChanged(path: string, was: Definition, is: Definition, compared: Compared): Change[] {
  if (was.type === 'tool' && is.type === 'tool') return toolChanged(path, was, is);
  if (was.type === 'agent' && is.type === 'agent') return agentChanged(path, was, is, compared);
  if (was.type === 'skill' && is.type === 'skill') return skillChanged(path, was, is);
  if (was.type === 'resource' && is.type === 'resource') return fieldsChanged(path, was, is, RESOURCE_FIELDS);
  if (was.type === 'tool_pack' && is.type === 'tool_pack') return packChanged(path, was, is, compared);
  // A definition without a type: nothing refers to it.
  return fieldChanged(path, was, is, PATCH);
}

const TOOL_FIELDS: FieldRules = {
  id: BREAKING,
  name: PATCH,
  description: PATCH,
  uri: ADDRESS,
};

function toolChanged(path: string, was: ToolDefinition, is: ToolDefinition): Change[] {
  const risk: FieldRule = {
    category: 'GOVERNANCE',
    widens: () => riskWidens(was.risk_level, is.risk_level),
  };
  return fieldsChanged(path, was, is, { ...TOOL_FIELDS, risk_level: risk });
}

const AGENT_FIELDS: FieldRules = {
  id: BREAKING,
  name: PATCH,
  role: FEATURE,
  goal: FEATURE,
  backstory: FEATURE,
  model: RESOURCE,
  context_strategy: FEATURE,
  evaluation: PATCH,
};

const CAPABILITIES: FieldRules = {
  type: FEATURE,
  delivery_mode: BREAKING,
};

const RUNTIME: FieldRules = { env_vars: GOVERNANCE, adapter_hints: GOVERNANCE };
const MEMORY: FieldRules = {
  strategy: GOVERNANCE,
  limit: { category: 'GOVERNANCE', widens: limitWidens },
  summary_prompt: GOVERNANCE,
};
const MODEL: FieldRules = { provider: RESOURCE, model_id: RESOURCE };
const CONSTRAINTS: FieldRules = Object.fromEntries(LIMITS.map((limit) => [limit, LIMIT_OF_MODEL]));

function agentChanged(
  path: string,
  was: AgentDefinition,
  is: AgentDefinition,
  { was: before, is: after }: Compared,
): Change[] {
  const history: FieldRule = is.capabilities?.history_support === false ? BREAKING : FEATURE;
  const [wasModel, isModel] = [was.resources, is.resources];
  return [
    ...fieldsChanged(path, was, is, AGENT_FIELDS),
    ...toolsChanged(`${path}.tools`, before.tools.get(path) ?? new Map(), after.tools.get(path) ?? new Map()),
    ...setChanged(
      `${path}.skills`,
      referencesOf(before.catalog, 'skill', was.skills),
      referencesOf(after.catalog, 'skill', is.skills),
      FEATURE,
    ),
    ...setChanged(`${path}.knowledge`, setOf(was.knowledge), setOf(is.knowledge), FEATURE),
    ...interfaceChanged(`${path}.interface`, was.interface, is.interface),
    ...fieldsChanged(`${path}.capabilities`, was.capabilities, is.capabilities, {
      ...CAPABILITIES,
      history_support: history,
    }),
    ...fieldsChanged(`${path}.runtime`, was.runtime, is.runtime, RUNTIME),
    ...fieldsChanged(`${path}.runtime.memory`, was.runtime?.memory, is.runtime?.memory, MEMORY),
    ...fieldsChanged(`${path}.resources`, wasModel, isModel, MODEL),
    ...fieldsChanged(`${path}.resources.pricing`, wasModel?.pricing, isModel?.pricing, PRICING),
    ...fieldsChanged(
      `${path}.resources.constraints`,
      wasModel?.constraints,
      isModel?.constraints,
      CONSTRAINTS,
    ),
  ];
}

const SKILL_FIELDS: FieldRules = {
  id: BREAKING,
  name: PATCH,
  version: PATCH,
  description: PATCH,
  trigger_intent: FEATURE,
  instructions: FEATURE,
  instructions_uri: FEATURE,
  load_strategy: FEATURE,
  scripts: GOVERNANCE,
};

function skillChanged(path: string, was: SkillDefinition, is: SkillDefinition): Change[] {
  return [
    ...fieldsChanged(path, was, is, SKILL_FIELDS),
    ...setChanged(`${path}.dependencies`, dependenciesOf(was), dependenciesOf(is), GOVERNANCE),
  ];
}

function dependenciesOf({ dependencies = [] }: SkillDefinition): ReadonlyMap<string, unknown> {
  return Map.groupBy(dependencies, ({ ecosystem, package: name }) => `${ecosystem}.${name}`);
}

const RESOURCE_FIELDS: FieldRules = { uri: ADDRESS, name: PATCH, mime_type: PATCH, description: PATCH };

const PACK_FIELDS: FieldRules = { id: BREAKING, namespace: BREAKING, metadata: PATCH };

function packChanged(path: string, was: PackDefinition, is: PackDefinition, compared: Compared): Change[] {
  const inside = [
    ...membersChanged(`${path}.tools`, was.tools, is.tools, compared, toolChanged),
    ...membersChanged(`${path}.agents`, was.agents, is.agents, compared, agentChanged),
    ...membersChanged(`${path}.skills`, was.skills, is.skills, compared, skillChanged),
    ...setChanged(`${path}.mcp_servers`, serversOf(was.mcp_servers), serversOf(is.mcp_servers), ADDRESS),
  ];
  return [
    ...fieldsChanged(path, was, is, PACK_FIELDS),
    ...inside.map(
      (change): Change => (change.category === 'BREAKING' ? change : { ...change, category: 'GOVERNANCE' }),
    ),
  ];
}

/**
 * Members are compared by their ids, whatever their order. A member is the name of a definition, or a definition. One
 * pack may have both under one id, so the two are compared separately.
 */
function membersChanged<Member extends { id?: string | undefined }>(
  path: string,
  was: readonly (string | Member)[] | undefined,
  is: readonly (string | Member)[] | undefined,
  compared: Compared,
  changed: (path: string, was: Member, is: Member, compared: Compared) => Change[],
): Change[] {
  const [before, after] = [membersOf(was), membersOf(is)];
  const whole = [...new Set([...before.whole.keys(), ...after.whole.keys()])].flatMap((id) => {
    const at = `${path}.${id}`;
    const [old, now] = [before.whole.get(id), after.whole.get(id)];
    if (old !== undefined && now !== undefined) return changed(at, old, now, compared);
    const category = now === undefined ? 'BREAKING' : 'GOVERNANCE';
    return [changeAt(at, old, now, { category, widens: compared.given.has(at) ? true : null })];
  });
  return [...setChanged(path, setOf(before.names), setOf(after.names), GOVERNANCE), ...whole];
}

function membersOf<Member extends { id?: string | undefined }>(
  written: readonly (string | Member)[] = [],
): { names: readonly string[]; whole: ReadonlyMap<string, Member> } {
  const names = written.filter((member) => typeof member === 'string');
  const whole = written.filter((member) => typeof member !== 'string');
  return { names, whole: new Map(whole.map((member) => [member.id ?? '', member])) };
}

/** A server is the program behind an address. So a new server or another command counts as another address. */
function serversOf(servers: readonly McpServer[] = []): ReadonlyMap<string, readonly McpServer[]> {
  return Map.groupBy(servers, ({ name }) => name);
}

function setOf(texts: readonly string[] = []): ReadonlyMap<string, unknown> {
  return new Map(texts.map((text) => [text, true]));
}
