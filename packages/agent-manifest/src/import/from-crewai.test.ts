import { describe, expect, test } from 'vitest';
import { agentOf, faultsOf, imported, toolsByAgent, warningsOf } from './imported.fixture.ts';

const AGENTS = `
finder:
  role: Finder of {topic}
  goal: Find pages.
  backstory: You know where to look.
  llm: openai/gpt-4o
  max_iter: 5
  max_rpm: 30
  tools: [web_search]
writer:
  role: Writer
  goal: Write pages.
  backstory: You write.
  allow_delegation: true
  verbose: true
`;
const TASKS = `
find-pages:
  description: Find pages about {topic}, for less than $\{10}.
  expected_output: A list.
  agent: finder
write:
  description: Write about {topic}.
  expected_output: A page.
  agent: writer
  context: [find-pages]
  output_file: page.md
`;
const CREW = { 'config/agents.yaml': AGENTS, 'config/tasks.yaml': TASKS };

describe('crews of crewAI', () => {
  test('become agents with steps in the order of the tasks', () => {
    const result = imported(null, CREW);
    expect(agentOf(result, 'finder')).toMatchObject({
      role: 'Finder of {topic}',
      goal: 'Find pages.',
      backstory: 'You know where to look.',
      model: 'openai/gpt-4o',
    });
    expect(result.manifest).toMatchObject({
      kind: 'Recipe',
      interface: { inputs: { topic: { type: 'string' } } },
    });
    const topic = `$${'{inputs["topic"]}'}`;
    expect(result.manifest.workflow).toEqual({
      start: 'find-pages',
      steps: {
        'find-pages': {
          type: 'agent',
          agent: 'finder',
          inputs: {
            task: `Find pages about ${topic}, for less than $\${10}.`,
            expected_output: 'A list.',
            inputs: { topic },
          },
          next: 'write',
        },
        write: {
          type: 'agent',
          agent: 'writer',
          inputs: {
            task: `Write about ${topic}.`,
            expected_output: 'A page.',
            inputs: { topic },
            context: { 'find-pages': `$${'{steps["find-pages"].output}'}` },
          },
        },
      },
    });
  });

  test('have only the tools that the YAML names, and limits in a document beside the manifest', () => {
    const result = imported('crewai', CREW);
    expect(toolsByAgent(result)).toEqual({ finder: ['web_search unrated'], writer: [] });
    expect(result.policies).toEqual([
      { agent: 'finder', policy: { rateLimit: { maxCalls: 30, windowMs: 60_000 } }, maxTurns: 5 },
    ]);
    expect(warningsOf(result)).toEqual([
      'FIELD_NOT_TAKEN 2 finder',
      'DELEGATION_NOT_TAKEN 14 writer.allow_delegation',
      'TOOLS_NOT_NAMED 10 writer.tools',
      'FIELD_NOT_TAKEN 15 writer.verbose',
      'FIELD_NOT_TAKEN 11 write.output_file',
    ]);
  });

  test('have no workflow if a task names no agent, unless there is only one agent', () => {
    const tasks = 'a:\n  description: x\n  expected_output: y\n';
    const none = imported('crewai', { 'agents.yaml': AGENTS, 'tasks.yaml': tasks });
    expect(none.manifest.kind).toBe('Agent');
    expect(warningsOf(none)).toContain('TASK_NOT_TAKEN 1 a');
    const one = imported('crewai', {
      'agents.yaml': 'w:\n  role: W\n  goal: G\n  backstory: B\n',
      'tasks.yaml': tasks,
    });
    expect(one.manifest.workflow?.steps).toMatchObject({ a: { agent: 'w' } });
  });

  test('are refused if a task names an agent or a task that does not exist', () => {
    const tasks =
      'a:\n  description: x\n  agent: nobody\nb:\n  description: x\n  agent: finder\n  context: [zz]\n';
    expect(faultsOf('crewai', { 'agents.yaml': AGENTS, 'tasks.yaml': tasks })).toEqual([
      'REFERENCE_MISSING 3 a.agent',
      'REFERENCE_MISSING 7 b.context.0',
    ]);
  });
});
