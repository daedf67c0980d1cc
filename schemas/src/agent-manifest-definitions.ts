/** The definitions of an agent manifest: tools, agents, skills, resources and packs. */
import { z } from 'zod';
import {
  anyMap,
  anyText,
  manifestName,
  manifestText,
  nameOrUri,
  number,
  sha256,
  uri,
} from './agent-manifest-fields.ts';
import { described } from './described.ts';
import { RISK_LEVELS } from './risk.ts';
import { parsedJson } from './scalars.ts';

export const definitionName = manifestName;

const optionalId = described(
  manifestName.optional(),
  'The id, which becomes part of ids in Mandate. Absent: the key of the definition.',
  'search',
);
const idOfMember = described(
  manifestName,
  'The id, which becomes part of ids in Mandate. A member of a pack has no key, so it needs an id.',
  'charge',
);
const optionalName = described(
  manifestText().optional(),
  'The name for people. Absent: the id, with a warning.',
  'Search',
);
const optionalDescription = described(anyText().optional(), 'A description for people.', 'Finds pages.');

export { RISK_LEVELS, type RiskLevel } from './risk.ts';

const TOOL = {
  type: described(z.literal('tool'), 'A tool.'),
  name: optionalName,
  uri: described(
    uri,
    'The address of the tool: a server of MCP, with the name of the tool after #.',
    'mcp://search.example.com',
  ),
  risk_level: described(
    z.enum(RISK_LEVELS),
    '`safe`: no limit. `standard`: 60 calls a minute. `critical`: a person confirms each call, 10 an hour.',
  ),
  description: optionalDescription,
};

const remoteTool = z.strictObject({
  type: described(z.literal('remote').optional(), 'A tool that has only an address. It may be left out.'),
  uri: described(uri, 'The address of a tool that has no definition.', 'mcp://weather.example.com'),
  hash: described(
    sha256.optional(),
    'The SHA-256 of the canonical JSON of name, description and inputSchema, as the server lists the tool.',
    '0'.repeat(64),
  ),
});

const inlineTool = z.strictObject({
  type: described(z.literal('inline'), 'A tool that is described here.'),
  name: described(
    z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, { error: 'must be 1 to 100 letters, digits, _ or -' }),
    'The name of the tool.',
    'add',
  ),
  description: described(anyText(), 'What the tool does, for the model.', 'Adds two numbers.'),
  parameters: described(
    z.record(z.string(), parsedJson),
    'The JSON Schema of the arguments, of type object.',
    { type: 'object' },
  ),
  code_hash: described(sha256.optional(), 'The SHA-256 of the bytes of the implementation.', '0'.repeat(64)),
});

const toolEntry = z.union([nameOrUri, z.discriminatedUnion('type', [inlineTool, remoteTool])]);

const sides = z.strictObject({
  inputs: described(anyMap.optional(), 'What the agent is given.', { topic: { type: 'string' } }),
  outputs: described(anyMap.optional(), 'What the agent answers, as JSON.', { summary: { type: 'string' } }),
});

const capabilities = z.strictObject({
  type: described(z.enum(['atomic', 'graph']).optional(), 'The kind of agent, a label. Absent: graph.'),
  delivery_mode: described(
    z.enum(['request_response', 'server_sent_events']).optional(),
    '`server_sent_events`: the text is streamed as it comes. Absent: request_response.',
  ),
  history_support: described(
    z.boolean().optional(),
    'False: the agent gets no earlier messages. Absent: true.',
    true,
  ),
});

const memory = z.strictObject({
  strategy: described(
    z.enum(['all', 'sliding_window', 'token_buffer', 'summary', 'vector_store']).optional(),
    'Which earlier messages the agent gets. Absent: sliding_window.',
  ),
  limit: described(z.int().min(1), 'How many messages or tokens are kept.', 20),
  summary_prompt: described(
    manifestText().optional(),
    'The prompt that makes the summary. Required for summary.',
    'Say it in short.',
  ),
});

const runtime = z.strictObject({
  env_vars: described(
    z.record(z.string(), anyText()).optional(),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of a reference in a manifest
    'Environment variables. ${env:NAME} is filled in by the runner. Never write a secret here.',
    { MODE: 'test' },
  ),
  adapter_hints: described(
    z
      .strictObject({
        target: described(anyText().optional(), 'The framework.', 'langchain'),
        version: described(anyText().optional(), 'The version of the framework.', '1'),
        config: described(anyMap.optional(), 'Settings of the framework.', { verbose: true }),
      })
      .optional(),
    'Hints for frameworks. The runner ignores them.',
  ),
  memory: described(memory.optional(), 'How much of the conversation the agent gets.'),
});

const evaluation = z.strictObject({
  expected_latency_ms: described(number(0, 1e12).optional(), 'How long an answer should take.', 800),
  golden_dataset_uri: described(manifestText().optional(), 'The address of a dataset.', 'data/golden.jsonl'),
  evaluator_model: described(manifestText().optional(), 'The model that judges.', 'gpt-4'),
  grading_rubric: described(
    z
      .array(
        z.strictObject({
          name: described(manifestText(), 'The name of the criterion.', 'polite'),
          description: described(anyText(), 'What is judged.', 'The answer is polite.'),
          threshold: described(z.number(), 'The least grade.', 0.9),
          strict: described(z.boolean().optional(), 'True if the criterion must be met. Absent: true.', true),
        }),
      )
      .optional(),
    'The criteria by which answers are judged.',
    [{ name: 'polite', description: 'The answer is polite.', threshold: 0.9 }],
  ),
});

const cost = (what: string, example: number) => described(z.number().min(0), what, example);

const pricing = z.strictObject({
  unit: described(
    z.enum(['TOKEN_1K', 'TOKEN_1M', 'REQUEST', 'SECOND']).optional(),
    'What the costs are for. Absent: TOKEN_1M, a million tokens.',
  ),
  currency: described(z.enum(['USD', 'EUR']).optional(), 'The currency. Absent: USD.'),
  input_cost: cost('The cost of a unit of input.', 0.15),
  output_cost: cost('The cost of a unit of output.', 0.6),
  fixed_cost_per_request: cost('The cost of each call besides. Absent: 0.', 0).optional(),
});

const constraints = z.strictObject({
  context_window_size: described(z.int().min(1), 'How many tokens a call may have in all.', 128_000),
  max_output_tokens: described(z.int().min(1).optional(), 'How many tokens an answer may have.', 4_096),
  rate_limit_rpm: described(
    z.int().min(0).max(100_000).optional(),
    'How many model calls a minute. 0 allows none.',
    60,
  ),
  rate_limit_tpm: described(z.int().min(0).optional(), 'How many tokens a minute.', 90_000),
});

const resources = z.strictObject({
  provider: described(manifestText(), 'The provider of the model.', 'openai'),
  model_id: described(manifestText(), 'The model.', 'gpt-4'),
  pricing: described(pricing.optional(), 'What the model costs.'),
  constraints: described(constraints.optional(), 'The limits of the model.'),
});

const AGENT = {
  type: described(z.literal('agent'), 'An agent.'),
  name: optionalName,
  role: described(manifestText(), 'The role of the agent, for the model.', 'Researcher'),
  goal: described(manifestText(), 'The goal of the agent, for the model.', 'Find pages.'),
  backstory: described(anyText().optional(), 'More for the model.', 'You check sources.'),
  model: described(manifestText().optional(), 'The model. Absent: the model of resources.', 'gpt-4'),
  tools: described(
    z.array(toolEntry).optional(),
    'The tools that the agent may call: keys, ids or addresses of definitions, or tools written here. Absent: none.',
    ['search'],
  ),
  knowledge: described(z.array(manifestText()).optional(), 'Files or ids of knowledge.', [
    'knowledge/products.md',
  ]),
  skills: described(z.array(manifestText()).optional(), 'The skills of the agent.', ['playbook']),
  context_strategy: described(
    z.enum(['full', 'compressed', 'hybrid']).optional(),
    'How skills are put into the prompt. full: whole. compressed: named. hybrid: eager ones whole. Absent: hybrid.',
  ),
  interface: described(sides.optional(), 'What the agent is given, and what it answers.'),
  capabilities: described(capabilities.optional(), 'What the agent can do.'),
  runtime: described(runtime.optional(), 'Settings for the program that runs the agent.'),
  evaluation: described(evaluation.optional(), 'How the agent is judged. It changes no decision.'),
  resources: described(resources.optional(), 'The model with its price and limits.'),
};

const SKILL = {
  type: described(z.literal('skill'), 'A skill.'),
  name: optionalName,
  version: described(manifestText().optional(), 'The version. Absent: 1.0.0.', '1.0.0'),
  description: described(manifestText(), 'What the skill is for.', 'How to write a summary.'),
  trigger_intent: described(
    manifestText().optional(),
    'When the model should load the skill. Required for a lazy skill.',
    'when asked for a summary',
  ),
  instructions: described(manifestText().optional(), 'The text of the skill.', 'Write three sentences.'),
  instructions_uri: described(
    manifestText().optional(),
    'The file with the text of the skill. A skill has either instructions or instructions_uri.',
    'skills/summary.md',
  ),
  scripts: described(z.record(z.string(), manifestText()).optional(), 'Files of scripts, by name.', {
    run: 'scripts/run.sh',
  }),
  dependencies: described(
    z
      .array(
        z.strictObject({
          ecosystem: described(z.enum(['python', 'node', 'system', 'mcp']), 'Where the package is from.'),
          package: described(manifestText(), 'The name of the package.', 'requests'),
          version_constraint: described(anyText().optional(), 'Which versions are accepted.', '>=2'),
        }),
      )
      .optional(),
    'What the scripts need. Nothing is installed.',
    [{ ecosystem: 'python', package: 'requests' }],
  ),
  load_strategy: described(
    z.enum(['eager', 'lazy', 'user']).optional(),
    '`eager`: in the prompt. `lazy`: loaded by the model. `user`: only for steps that name it. Absent: lazy.',
  ),
};

export const toolDefinition = z.strictObject({ ...TOOL, id: optionalId });
export const agentDefinition = z.strictObject({ ...AGENT, id: optionalId });
export const skillDefinition = z.strictObject({ ...SKILL, id: optionalId });

export const resourceDefinition = z.strictObject({
  type: described(z.literal('resource'), 'A resource.'),
  uri: described(uri, 'The address of the resource.', 'https://docs.example.com/a'),
  name: described(manifestText(), 'The name of the resource.', 'Docs'),
  mime_type: described(anyText().optional(), 'The type of the content.', 'text/html'),
  description: optionalDescription,
});

const author = z.union([
  manifestText(),
  z.strictObject({
    name: described(manifestText(), 'The name of the author.', 'Ann'),
    email: described(anyText().optional(), 'The address of the author.', 'ann@example.com'),
    url: described(anyText().optional(), 'The page of the author.', 'https://ann.example.com'),
  }),
]);

const mcpServer = z.strictObject({
  type: described(z.literal('mcp_server').optional(), 'A server of MCP. It may be left out.'),
  name: described(manifestText(), 'The name of the server: mcp://name is its address.', 'pay'),
  command: described(
    manifestText(),
    'The command that would start the server. The runner never runs it: its own settings bind the name to a server.',
    'npx',
  ),
  args: described(z.array(anyText()).optional(), 'The arguments of the command.', ['-y', 'pay-mcp']),
  env: described(z.record(z.string(), anyText()).optional(), 'The environment of the command.', {
    MODE: 'test',
  }),
});

const memberOf = <Schema extends z.ZodType>(whole: Schema, what: string, example: string) =>
  z
    .array(z.union([manifestText(), whole]))
    .optional()
    .meta({
      description: `The ${what} of the pack: names of definitions, or definitions with their ids.`,
      examples: [[example]],
    });

export const packDefinition = z.strictObject({
  type: described(z.literal('tool_pack'), 'A pack of agents, skills, tools and servers.'),
  id: optionalId,
  namespace: described(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}$/, { error: 'must be 1 to 100 letters, digits, _ or -' })
      .optional(),
    'What stands before the ids of the members: namespace.id.',
    'pay',
  ),
  metadata: described(
    z.strictObject({
      name: described(
        z.string().regex(/^[a-z0-9-]{1,200}$/, { error: 'must be lower-case letters, digits or dashes' }),
        'The name of the pack.',
        'pay-tools',
      ),
      version: described(manifestText(64).optional(), 'The version of the pack. Absent: 0.1.0.', '0.1.0'),
      description: described(manifestText(), 'What the pack is for.', 'Payments.'),
      author: described(author, 'Who made the pack.', 'Ann'),
      homepage: described(anyText().optional(), 'The page of the pack.', 'https://pay.example.com'),
    }),
    'The name of the pack, and who made it.',
  ),
  agents: memberOf(z.strictObject({ ...AGENT, id: idOfMember }), 'agents', 'clerk'),
  skills: memberOf(z.strictObject({ ...SKILL, id: idOfMember }), 'skills', 'playbook'),
  tools: memberOf(z.strictObject({ ...TOOL, id: idOfMember }), 'tools', 'search'),
  mcp_servers: described(z.array(mcpServer).optional(), 'The servers of the tools.', [
    { name: 'pay', command: 'npx' },
  ]),
});

/** An object without a type. Nothing can refer to it. With `$ref` it stands for a definition in another place. */
export const genericDefinition = z.looseObject({
  type: described(z.undefined().optional(), 'A definition of this kind has no type.').meta({ not: {} }),
  $ref: described(
    manifestText().optional(),
    'The definition stands in another file: its path below the folder of the manifest, and after # a JSON pointer.',
    'tools.yaml#/search',
  ),
});

export type ToolDefinition = z.infer<typeof toolDefinition>;
export type AgentDefinition = z.infer<typeof agentDefinition>;
export type SkillDefinition = z.infer<typeof skillDefinition>;
export type ResourceDefinition = z.infer<typeof resourceDefinition>;
export type PackDefinition = z.infer<typeof packDefinition>;
export type ToolEntry = z.infer<typeof toolEntry>;
export type InlineTool = z.infer<typeof inlineTool>;
export type RemoteTool = z.infer<typeof remoteTool>;
export type McpServer = z.infer<typeof mcpServer>;
