/** Random valid manifests over a few names, so that two of them often rename, move and redefine the same things. */
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import fc from 'fast-check';
import { catalogOf, findDefinition, findTool } from '../catalog.ts';

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const IDS = ['t', 'u', 'v', 'x'];
const ADDRESSES = ['mcp://one', 'mcp://two', 'mcp://three#t'];
const HASHES = ['a', 'b'].map((digit) => digit.repeat(64));

const tool = fc.record({
  key: fc.constantFrom('t', 'u', 'v'),
  id: some(fc.constantFrom(...IDS)),
  uri: fc.constantFrom(...ADDRESSES),
  risk_level: fc.constantFrom('safe', 'standard', 'critical'),
  isMember: fc.boolean(),
});

const remote = fc.record({ uri: fc.constantFrom(...ADDRESSES), hash: some(fc.constantFrom(...HASHES)) });
const inline = fc.record({
  type: fc.constant('inline'),
  name: fc.constantFrom('t', 'calc'),
  description: fc.constantFrom('adds', 'counts'),
  parameters: fc.constantFrom(
    { type: 'object' },
    { type: 'object', properties: { x: { enum: ['a'] } } },
    { type: 'object', properties: { x: { enum: ['a', 'b'] } } },
  ),
});

const agent = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  id: some(fc.constantFrom('a', 'b', 'c', 'd')),
  name: some(fc.constantFrom('Ann', 'Bob')),
  tools: fc.array(fc.oneof(fc.constantFrom(...IDS, 'ns.t', 'ns.u', ...ADDRESSES), remote, inline), {
    maxLength: 3,
  }),
  rpm: some(fc.constantFrom(10, 20)),
  isMember: fc.boolean(),
});

const parts = fc.record({
  tools: fc.array(tool, { maxLength: 4 }),
  agents: fc.array(agent, { minLength: 1, maxLength: 4 }),
  namespace: some(fc.constant('ns')),
  servers: fc.subarray(['npx one', 'npx two'], { maxLength: 1 }),
  steps: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'Ann', 'Bob', 'gpt-4'), { minLength: 1, maxLength: 3 }),
  policy: fc.record(
    {
      max_steps: fc.constantFrom(5, 10),
      max_retries: fc.constantFrom(2, 3, 4),
      timeout: fc.constantFrom(60, 120),
      human_in_the_loop: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  requires_auth: some(fc.boolean()),
});

export const someManifest: fc.Arbitrary<AgentManifest> = parts.map(manifestOf);

type Parts = typeof parts extends fc.Arbitrary<infer Value> ? Value : never;

/** Leaves out everything that would make the manifest invalid: repeated entries, and references that lead nowhere. */
function manifestOf({
  tools,
  agents,
  namespace,
  servers,
  steps,
  policy,
  requires_auth,
}: Parts): AgentManifest {
  const known = withoutTwice(tools).map(({ key, id, isMember, ...fields }) => ({
    isMember,
    key,
    id: id ?? key,
    definition: { type: 'tool', ...(id !== undefined && { id }), ...fields },
  }));
  const makers = withoutTwice(agents).map(({ key, id, name, rpm, isMember, ...fields }) => ({
    isMember,
    key,
    id: id ?? key,
    definition: {
      ...{ type: 'agent', role: 'r', goal: 'g', ...fields },
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(rpm !== undefined && {
        resources: {
          ...{ provider: 'p', model_id: 'm' },
          constraints: { context_window_size: 1_000, rate_limit_rpm: rpm },
        },
      }),
    },
  }));
  const members = (all: typeof known | typeof makers) =>
    all.filter(({ isMember }) => isMember).map(({ id, definition }) => ({ ...definition, id }));
  const pack = {
    type: 'tool_pack',
    ...(namespace !== undefined && { namespace }),
    metadata: { name: 'p', description: 'd', author: 'ann' },
    tools: members(known),
    agents: members(makers),
    mcp_servers: servers.map((command) => ({ name: 'one', command })),
  };
  const own = [...known, ...makers].filter(({ isMember }) => !isMember);
  const written = {
    ...{ apiVersion: 'coreason.ai/v2', kind: 'Recipe', policy },
    metadata: { name: 'M', ...(requires_auth !== undefined && { requires_auth }) },
    definitions: { p: pack, ...Object.fromEntries(own.map(({ key, definition }) => [key, definition])) },
    workflow: { start: 's0', steps: { s0: { type: 'agent', agent: 'gpt-4' } } },
  };
  return withSteps(onlyKnownTools(agentManifestDocument.parse(written)), steps);
}

function withoutTwice<Named extends { key: string; id: string | undefined }>(all: readonly Named[]): Named[] {
  const seen = new Set<string>();
  return all.filter(({ key, id }) => {
    const names = new Set([key, id ?? key]);
    if ([...names].some((name) => seen.has(name))) return false;
    for (const name of names) seen.add(name);
    return true;
  });
}

function onlyKnownTools(manifest: AgentManifest): AgentManifest {
  const catalog = catalogOf(manifest);
  for (const { definition } of catalog.agent.entries) {
    const names = new Set<string>();
    definition.tools = (definition.tools ?? []).filter((entry) => {
      const read = findTool(catalog, entry);
      if (read.found !== 'ok' || names.has(read.tool.name)) return false;
      names.add(read.tool.name);
      return true;
    });
  }
  return manifest;
}

function withSteps(manifest: AgentManifest, agents: readonly string[]): AgentManifest {
  const catalog = catalogOf(manifest);
  const found = agents.filter((agent) => {
    const read = findDefinition(catalog, 'agent', agent);
    return read.found === 'ok' || (read.found === 'missing' && agent === 'gpt-4');
  });
  const steps = [...found, 'gpt-4'].map((agent, at) => [`s${at}`, { type: 'agent', agent }]);
  return agentManifestDocument.parse({
    ...manifest,
    workflow: { start: 's0', steps: Object.fromEntries(steps) },
  });
}
