import { describe, expect, test } from 'vitest';
import { agentOf, faultsOf, imported, toolsByAgent, warningsOf } from './imported.fixture.ts';

const AGENT = `
component_type: Agent
id: a1
name: Weather
description: Tells the weather.
llm_config: { component_type: OpenAiConfig, name: m, model_id: gpt-4o, api_key: k-1 }
system_prompt: You tell the weather.
inputs: [{ title: city, type: string }]
outputs: []
tools:
  - { component_type: ServerTool, name: Get history, description: Past., requires_confirmation: true,
      inputs: [{ title: city, type: string }, { title: days, type: integer, default: 3 }] }
  - { component_type: RemoteTool, name: forecast, url: "https://w.example.com/api", http_method: GET }
  - { component_type: MCPTool, name: alarm, client_transport: { $component_ref: bells } }
toolboxes:
  - { component_type: MCPToolBox, name: all, client_transport: { $component_ref: bells } }
  - component_type: MCPToolBox
    name: some
    client_transport: { $component_ref: bells }
    tool_filter: [ring, { component_type: MCPToolSpec, name: mute, requires_confirmation: true }]
human_in_the_loop: true
$referenced_components:
  bells: { component_type: SSETransport, name: bells, url: "https://bells.example.com/sse", sensitive_headers: { K: v-1 } }
agentspec_version: 25.4.2
`;

const node = (type: string, name: string, more = '') =>
  `  ${name}: { component_type: ${type}, id: ${name}, name: ${name}${more} }`;
const edge = (from: string, to: string, branch = 'null') =>
  `  - { component_type: ControlFlowEdge, name: e, from_node: { $component_ref: ${from} }, from_branch: ${branch}, to_node: { $component_ref: ${to} } }`;
const data = (from: string, output: string, to: string, input: string) =>
  `  - { component_type: DataFlowEdge, name: d, source_node: { $component_ref: ${from} }, source_output: ${output}, destination_node: { $component_ref: ${to} }, destination_input: ${input} }`;
const TEXT = (title: string) => `[{ title: ${title}, type: string }]`;
const MODEL = 'llm_config: { component_type: OpenAiConfig, name: m, model_id: gpt-4o }';

function flow(
  nodes: readonly string[],
  edges: readonly string[],
  flows: readonly string[],
): Record<string, string> {
  const names = nodes.map((text) => text.trim().split(':')[0]);
  return {
    'flow.yaml': [
      'component_type: Flow',
      'name: Answering',
      'start_node: { $component_ref: start }',
      `nodes: [${names.map((name) => `{ $component_ref: ${name} }`).join(', ')}]`,
      'control_flow_connections:',
      ...edges,
      ...(flows.length === 0 ? [] : ['data_flow_connections:', ...flows]),
      '$referenced_components:',
      ...nodes,
    ].join('\n'),
  };
}

describe('agents of Open Agent Spec', () => {
  test('get the tools that their document names', () => {
    const result = imported(null, { 'agent.yaml': AGENT });
    expect(agentOf(result, 'Weather')).toMatchObject({
      goal: 'Tells the weather.',
      backstory: 'You tell the weather.',
      model: 'gpt-4o',
      interface: { inputs: { city: { type: 'string' } } },
    });
    expect(toolsByAgent(result)).toEqual({
      Weather: ['Get-history unrated', 'forecast unrated', 'alarm unrated', 'ring unrated', 'mute unrated'],
    });
    expect(agentOf(result, 'Weather').tools?.[0]).toMatchObject({
      type: 'inline',
      parameters: { type: 'object', required: ['city'], additionalProperties: false },
    });
    expect(agentOf(result, 'Weather').tools?.[1]).toBe('https://w.example.com/api#forecast');
    expect(result.policies).toEqual([
      {
        agent: 'Weather',
        policy: {
          toolPolicies: {
            'Get-history': { requiresConfirmation: true },
            mute: { requiresConfirmation: true },
          },
        },
      },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/k-1|v-1/);
    expect(warningsOf(result)).toEqual([
      'SECRET_IN_MANIFEST 6 llm_config.api_key',
      'TOOL_RENAMED 11 tools.0',
      'FIELD_NOT_TAKEN 13 tools.1.http_method',
      'SECRET_IN_MANIFEST 23 $referenced_components.bells.sensitive_headers.K',
      'TOOLS_NOT_NAMED 16 toolboxes.0',
      'FIELD_NOT_TAKEN 21 human_in_the_loop',
    ]);
  });

  test('ask a person before every call of a tool if their document says so', () => {
    const result = imported('agent-spec', { 'agent.yaml': AGENT }, { humanInTheLoop: true });
    expect(Object.keys(result.policies[0]?.policy.toolPolicies ?? {})).toHaveLength(5);
  });

  test('are made from specialized agents, and the agent that was specialized does not change', () => {
    const text = `
component_type: Swarm
name: Group
first_agent: { $component_ref: base }
relationships: [[{ $component_ref: base }, { $component_ref: special }]]
$referenced_components:
  base: { component_type: Agent, name: base, system_prompt: Be kind., tools: [] }
  special:
    component_type: SpecializedAgent
    name: special
    agent: { $component_ref: base }
    agent_specialization_parameters:
      component_type: AgentSpecializationParameters
      name: p
      additional_instructions: Be brief.
      additional_tools: [{ component_type: ClientTool, name: bell }]
`;
    const result = imported('agent-spec', { 'a.yaml': text });
    expect(toolsByAgent(result)).toEqual({ base: [], special: ['bell unrated'] });
    expect(agentOf(result, 'special').backstory).toBe('Be kind.\n\nBe brief.');
    expect(warningsOf(result)).toEqual(['DELEGATION_NOT_TAKEN 2']);
  });

  test('are refused where a component is missing, leads to itself, or is of an unknown type', () => {
    const agent = (more: string) => ({ 'a.yaml': `component_type: Agent\nname: a\n${more}` });
    expect(faultsOf('agent-spec', agent('tools: [{ $component_ref: x }]'))).toEqual([
      'REFERENCE_MISSING 3 tools.0',
    ]);
    expect(
      faultsOf(
        'agent-spec',
        agent('tools: [{ $component_ref: x }]\n$referenced_components: { x: { $component_ref: x } }'),
      ),
    ).toEqual(['REFERENCE_CYCLE 3 tools.0']);
    expect(faultsOf('agent-spec', agent('tools: [{ component_type: Spell, name: s }]'))).toEqual([
      'NOT_SUPPORTED 3 tools.0',
    ]);
    const group =
      'component_type: ManagerWorkers\nname: g\ngroup_manager: { $component_ref: g }\nworkers: []\n';
    const inside =
      '$referenced_components:\n  g: { component_type: ManagerWorkers, name: g, group_manager: { $component_ref: g } }\n';
    expect(faultsOf('agent-spec', { 'a.yaml': group + inside })).toEqual([
      'REFERENCE_CYCLE 6 $referenced_components.g',
    ]);
  });
});

describe('flows of Open Agent Spec', () => {
  const nodes = [
    node('StartNode', 'start', `, inputs: ${TEXT('question')}, outputs: ${TEXT('question')}`),
    node(
      'LlmNode',
      'sort',
      `, ${MODEL}, prompt_template: "Sort: {{question}} for $\{1}", inputs: ${TEXT('question')}, outputs: ${TEXT('kind')}`,
    ),
    node('BranchingNode', 'pick', `, mapping: { 'a "b"': hard }, inputs: ${TEXT('kind')}`),
    node(
      'AgentNode',
      'think',
      `, inputs: ${TEXT('question')}, agent: { component_type: Agent, name: thinker, system_prompt: Think., ${MODEL}, outputs: ${TEXT('answer')} }, outputs: ${TEXT('answer')}`,
    ),
    node(
      'ToolNode',
      'look',
      `, tool: { component_type: ServerTool, name: look_up }, outputs: ${TEXT('found')}`,
    ),
    node('EndNode', 'end', `, outputs: ${TEXT('answer')}`),
  ];
  const edges = [
    edge('start', 'sort'),
    edge('sort', 'pick'),
    edge('pick', 'think', 'hard'),
    edge('pick', 'look', 'default'),
    edge('think', 'end'),
    edge('look', 'end'),
  ];
  const flows = [
    data('start', 'question', 'sort', 'question'),
    data('sort', 'kind', 'pick', 'kind'),
    data('start', 'question', 'think', 'question'),
    data('think', 'answer', 'end', 'answer'),
  ];

  test('become steps, with expressions for the data that flows', () => {
    const result = imported('agent-spec', flow(nodes, edges, flows));
    const question = `$${'{inputs["question"]}'}`;
    expect(result.manifest.workflow).toEqual({
      start: 'sort',
      steps: {
        sort: {
          type: 'agent',
          agent: 'sort',
          inputs: { prompt: `Sort: ${question} for $\${1}` },
          next: 'pick',
        },
        pick: {
          type: 'switch',
          cases: { 'steps["sort"].output["kind"] == "a \\"b\\""': 'think' },
          default: 'look',
        },
        think: { type: 'agent', agent: 'thinker', inputs: { question } },
        look: { type: 'agent', agent: 'look', inputs: {} },
      },
    });
    expect(result.manifest).toMatchObject({
      kind: 'Recipe',
      metadata: { name: 'Answering' },
      interface: { inputs: { question: { type: 'string' } }, outputs: { answer: { type: 'string' } } },
      state: { schema: { answer: { type: 'string' } } },
    });
    expect(toolsByAgent(result)).toEqual({ sort: [], thinker: [], look: ['look_up unrated'] });
    expect(warningsOf(result)).toEqual(['NODE_AS_AGENT 22 $referenced_components.look']);
  });

  test('with a loop get a limit of steps', () => {
    const back = [...edges.slice(0, 5), edge('look', 'sort')];
    expect(imported('agent-spec', flow(nodes, back, flows)).manifest.policy).toEqual({ max_steps: 100 });
  });

  test('connect inputs and outputs with the same name if no data flow connects them', () => {
    const { workflow } = imported('agent-spec', flow(nodes, edges, [])).manifest;
    expect(workflow?.steps).toMatchObject({ think: { inputs: { question: `$${'{inputs["question"]}'}` } } });
  });

  test('are refused with nodes of a kind that no step supports yet, and with two next nodes', () => {
    const map = [...nodes.slice(0, 1), node('MapNode', 'sort'), ...nodes.slice(5)];
    expect(faultsOf('agent-spec', flow(map, [edge('start', 'sort'), edge('sort', 'end')], []))).toEqual([
      'NOT_SUPPORTED 10 $referenced_components.sort',
    ]);
    const both = [...edges, edge('think', 'look')];
    expect(faultsOf('agent-spec', flow(nodes, both, flows))).toEqual([
      'NOT_SUPPORTED 12 control_flow_connections.6',
    ]);
    const toTheEnd = [...edges.slice(0, 3), edge('pick', 'end', 'default'), ...edges.slice(4)];
    expect(faultsOf('agent-spec', flow(nodes, toTheEnd, flows))).toEqual([
      'NOT_SUPPORTED 20 $referenced_components.pick',
    ]);
  });
});
