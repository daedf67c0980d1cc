/** Random agent manifests that are valid, with what each agent names as its author wrote it. */
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import fc from 'fast-check';

/** `toolsOf`: the names in Mandate of the tools that each agent names, by the id of its agent. */
export type DrawnManifest = {
  manifest: AgentManifest;
  toolsOf: ReadonlyMap<string, ReadonlySet<string>>;
  modelOf: ReadonlyMap<string, string>;
};

/** Keys that meet what names in a manifest may be: dots, signs, other scripts, and names of the language. */
const AGENTS = ['w', 'a.b', 'ann@home', 'ä-1', 'constructor', 'rpm', 'w.rpm.x'] as const;
const MODELS = ['gpt-4', 'gpt-4o-mini', 'claude-haiku-4-5', 'claude-3-5-sonnet@20240620'] as const;
const RISKS = ['safe', 'standard', 'critical'] as const;

/** A tool that agents can name in several ways, and its name in Mandate. */
type Nameable = { name: string; ways: readonly (string | object)[]; definition?: [key: string, object] };

const defined = (at: number, risk: string): Nameable => ({
  name: `tool${at}`,
  ways: [
    `key${at}`,
    `tool${at}`,
    `mcp://t${at}.example`,
    `MCP://t${at}.example/`,
    { uri: `mcp://t${at}.example` },
  ],
  definition: [
    `key${at}`,
    { type: 'tool', id: `tool${at}`, name: 'T', uri: `mcp://t${at}.example`, risk_level: risk },
  ],
});
const packed = (at: number, risk: string): Nameable & { member: object } => ({
  name: `kit.pack${at}`,
  ways: [`pack${at}`, `kit.pack${at}`, `mcp://p${at}.example`],
  member: { type: 'tool', id: `pack${at}`, name: 'P', uri: `mcp://p${at}.example`, risk_level: risk },
});
const remote = (at: number): Nameable => ({
  name: `r${at}.example.v1`,
  ways: [`mcp://r${at}.example/v1`, { type: 'remote', uri: `mcp://r${at}.example/v1`, hash: 'a'.repeat(64) }],
});
const inline = (at: number): Nameable => ({
  name: `inline${at}`,
  ways: [{ type: 'inline', name: `inline${at}`, description: 'd', parameters: { type: 'object' } }],
});

const policy = fc.record(
  {
    max_steps: fc.integer({ min: 1, max: 9 }),
    timeout: fc.integer({ min: 1, max: 100_000 }),
    human_in_the_loop: fc.boolean(),
  },
  { requiredKeys: [] },
);

export const arbitraryAgentManifest: fc.Arbitrary<DrawnManifest> = fc
  .record({
    risks: fc.array(fc.constantFrom(...RISKS), { minLength: 4, maxLength: 4 }),
    agents: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom(...AGENTS),
        model: fc.constantFrom(...MODELS),
        isInPack: fc.boolean(),
        tools: fc.uniqueArray(fc.record({ at: fc.nat(7), way: fc.nat(4) }), { selector: ({ at }) => at }),
        rpm: fc.option(fc.nat(5), { nil: undefined }),
      }),
      { selector: ({ key }) => key, minLength: 1, size: 'max', maxLength: AGENTS.length },
    ),
    steps: fc.array(fc.constantFrom('agent', 'model', 'logic', 'council', 'none'), { maxLength: 5 }),
    policy,
  })
  .map(({ risks, agents, steps, policy }) => {
    const [first = 'safe', second = 'safe', third = 'safe', fourth = 'safe'] = risks;
    const pack = [packed(0, third), packed(1, fourth)];
    const nameable = [
      ...[defined(0, first), defined(1, second)],
      ...pack,
      ...[remote(0), remote(1), inline(0), inline(1)],
    ];
    const written = agents.map(({ key, model, isInPack, tools, rpm }) => {
      const named = tools.flatMap(({ at, way }) => {
        const tool = nameable[at];
        return tool === undefined ? [] : [{ name: tool.name, way: tool.ways[way % tool.ways.length] }];
      });
      const constraints =
        rpm === undefined ? {} : { constraints: { context_window_size: 8_000, rate_limit_rpm: rpm } };
      const definition = {
        ...{ type: 'agent', name: `Agent ${key}`, role: 'r', goal: 'g', model },
        tools: named.map(({ way }) => way),
        resources: { provider: 'p', model_id: model, ...constraints },
      };
      return { key, model, isInPack, definition, names: new Set(named.map(({ name }) => name)) };
    });
    const members = written.filter(({ isInPack }) => isInPack);
    const definitions = Object.fromEntries([
      ...nameable.flatMap(({ definition }) => (definition ? [definition] : [])),
      ...written.filter(({ isInPack }) => !isInPack).map(({ key, definition }) => [key, definition] as const),
      [
        'kit-of-tools',
        {
          type: 'tool_pack',
          namespace: 'kit',
          metadata: { name: 'kit', description: 'd', author: 'a' },
          tools: pack.map(({ member }) => member),
          agents: members.map(({ key, definition }) => ({ ...definition, id: key })),
        },
      ],
    ]);
    const keys = written.map(({ key }) => key);
    const models = new Map<string, string>();
    const inWorkflow = steps.flatMap((type, at): [string, object][] => {
      const [agent = ''] = keys.slice(at % keys.length);
      if (type === 'agent') return [[`s${at}`, { type: 'agent', agent }]];
      if (type === 'logic')
        return [[`s${at}`, { type: 'logic', code: 'def run(inputs, state, steps): pass' }]];
      if (type === 'council') return [[`s${at}`, { type: 'council', voters: keys }]];
      if (type === 'none') return [];
      const model = MODELS[at % MODELS.length] ?? '';
      models.set(model, model);
      return [[`s${at}`, { type: 'agent', agent: model }]];
    });
    const [begin] = inWorkflow;
    const manifest = agentManifestDocument.parse({
      apiVersion: 'coreason.ai/v2',
      kind: begin === undefined ? 'Agent' : 'Recipe',
      metadata: { name: 'M' },
      policy,
      definitions,
      ...(begin && { workflow: { start: begin[0], steps: Object.fromEntries(inWorkflow) } }),
    });
    return {
      manifest,
      toolsOf: new Map([
        ...written.map(({ key, names }) => [`m.${key}`, names] as const),
        ...models.keys().map((model) => [`m.${model}`, new Set<string>()] as const),
      ]),
      modelOf: new Map([
        ...written.map(({ key, model }) => [`m.${key}`, model] as const),
        ...models.keys().map((model) => [`m.${model}`, model] as const),
      ]),
    };
  });

/** The names of all tools that a drawn manifest may have, whether an agent names them or not. */
export const ALL_TOOLS: readonly string[] = [0, 1].flatMap((at) => [
  ...[`tool${at}`, `key${at}`, `kit.pack${at}`, `pack${at}`],
  ...[`r${at}.example.v1`, `inline${at}`, `step.s${at}`, 'step.w', 'other'],
]);
