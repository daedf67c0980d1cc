/** Makes the agent manifests of the benches, as people write them. */
import { stringify } from 'yaml';

const TOOLS = 200;
const TOOLS_OF_AGENT = 5;
const STEPS_OF_BRANCH = 10;
const RISKS = ['safe', 'standard', 'critical'] as const;

/** Returns YAML. Each agent has a step, and after every ten steps a switch goes on or repeats them. */
export function largeManifest(agents: number): string {
  const tools = Array.from({ length: TOOLS }, (_, at) => [
    `tool_${at}`,
    {
      ...{ type: 'tool', name: `Tool ${at}`, description: `Does what the agents need for part ${at}.` },
      ...{ uri: `mcp://server-${at % 10}.corp.example/v1`, risk_level: RISKS[at % RISKS.length] },
    },
  ]);
  return stringify({
    ...{ apiVersion: 'coreason.ai/v2', kind: 'Recipe' },
    metadata: { name: 'Large', version: '1.0.0', requires_auth: true },
    interface: { inputs: { topic: { type: 'string' } }, outputs: { answer: { type: 'string' } } },
    state: { schema: { score: { type: 'number' } } },
    policy: { max_steps: 1_000, max_retries: 2, timeout: 3_600 },
    definitions: { ...Object.fromEntries(tools), ...agentDefinitions(agents) },
    workflow: { start: 'step_0', steps: branchingSteps(agents) },
  });
}

function agentDefinitions(agents: number): object {
  const definitions = Array.from({ length: agents }, (_, at) => [
    `agent_${at}`,
    {
      ...{ type: 'agent', name: `Agent ${at}`, role: `a worker of part ${at}`, goal: 'Find what is asked.' },
      backstory: 'It has done this work for years, and says so when it does not know.',
      tools: Array.from({ length: TOOLS_OF_AGENT }, (__, tool) => `tool_${(at * 7 + tool * 11) % TOOLS}`),
      interface: { outputs: { answer: { type: 'string' }, score: { type: 'number' } } },
      resources: {
        ...{ provider: 'openai', model_id: 'gpt-4o' },
        pricing: { unit: 'TOKEN_1M', input_cost: 2.5, output_cost: 10 },
        constraints: { context_window_size: 128_000, max_output_tokens: 1_000, rate_limit_rpm: 60 },
      },
    },
  ]);
  return Object.fromEntries(definitions);
}

function branchingSteps(agents: number): object {
  const steps: [string, object][] = [];
  for (let at = 0; at < agents; at += 1) {
    const isLastOfBranch = at % STEPS_OF_BRANCH === STEPS_OF_BRANCH - 1;
    const isLast = at === agents - 1;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of an expression in a manifest
    const inputs = { topic: '${inputs.topic}', score: '${has(state.score) ? state.score : 0.0}' };
    const next = isLastOfBranch ? `switch_${at}` : `step_${at + 1}`;
    steps.push([`step_${at}`, { type: 'agent', agent: `agent_${at}`, inputs, ...(!isLast && { next }) }]);
    if (!isLastOfBranch || isLast) continue;
    const again = `step_${at + 1 - STEPS_OF_BRANCH}`;
    const cases = { 'has(state.score) && state.score < 0.5': again };
    steps.push([`switch_${at}`, { type: 'switch', cases, default: `step_${at + 1}` }]);
  }
  return Object.fromEntries(steps);
}

/** Returns a manifest with one agent, which only writes, and a chain of steps that all ask it. */
export function chainOfSteps(id: string, steps: number): object {
  const chain = Array.from({ length: steps }, (_, at) => [
    `step_${at}`,
    { type: 'agent', agent: 'writer', ...(at < steps - 1 && { next: `step_${at + 1}` }) },
  ]);
  const writer = {
    type: 'agent',
    name: 'Writer',
    role: 'a writer',
    goal: 'Say it in short.',
    model: 'gpt-4o',
  };
  return {
    ...{ apiVersion: 'coreason.ai/v2', kind: 'Recipe', metadata: { name: id, version: '1.0.0' } },
    definitions: { writer },
    workflow: { start: 'step_0', steps: Object.fromEntries(chain) },
  };
}
