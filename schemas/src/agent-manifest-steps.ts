/** The steps of the workflow of an agent manifest. */
import { z } from 'zod';
import { anyMap, design, manifestText } from './agent-manifest-fields.ts';
import { described } from './described.ts';

const COMMON = {
  id: described(manifestText().optional(), 'The key of the step once more.', 'search'),
  inputs: described(
    anyMap.optional(),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of an expression in a manifest
    'What the step is given. An expression in ${ } is replaced by its value. Absent: the inputs of the run and the output of the previous step.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of an expression in a manifest
    { topic: '${inputs.topic}' },
  ),
  'x-design': design,
  design_metadata: design,
};
const next = described(manifestText().optional(), 'The next step. Absent: the run ends.', 'summarize');

export const agentStep = z.strictObject({
  type: described(z.literal('agent'), 'A step of an agent.'),
  ...COMMON,
  agent: described(manifestText(), 'The agent: its key, id or name; or the name of a model.', 'researcher'),
  next,
  system_prompt: described(manifestText().optional(), 'Replaces role, goal and backstory.', 'Be brief.'),
  temporary_skills: described(z.array(manifestText()).optional(), 'Skills for this step only.', ['playbook']),
});

export const logicStep = z.strictObject({
  type: described(z.literal('logic'), 'A step of Python.'),
  ...COMMON,
  code: described(
    manifestText(),
    'Python that defines run(inputs, state, steps), or the path of a file that ends in .py.',
    'scripts/score.py',
  ),
  next,
});

export const switchStep = z.strictObject({
  type: described(z.literal('switch'), 'A step that picks the next step.'),
  ...COMMON,
  cases: described(
    z
      .record(z.string(), manifestText())
      .refine((cases) => Object.keys(cases).length > 0, { error: 'must have at least one case' }),
    'Conditions in CEL, each with the step that it leads to. The first condition that is true decides.',
    { 'state.score > 0.5': 'publish' },
  ),
  default: described(manifestText().optional(), 'The next step if no condition is true.', 'revise'),
});

export const councilStep = z.strictObject({
  type: described(z.literal('council'), 'A vote of agents.'),
  ...COMMON,
  voters: described(z.array(manifestText()).min(1), 'The agents that vote.', ['ann', 'bob', 'eve']),
  strategy: described(
    z.enum(['consensus', 'majority', 'unanimous', 'weighted']).optional(),
    'How the votes are counted. Absent: consensus.',
  ),
  next,
});

export const stepDocument = z.discriminatedUnion('type', [agentStep, logicStep, switchStep, councilStep]);

export type Step = z.infer<typeof stepDocument>;
export type AgentStep = z.infer<typeof agentStep>;
export type LogicStep = z.infer<typeof logicStep>;
export type SwitchStep = z.infer<typeof switchStep>;
export type CouncilStep = z.infer<typeof councilStep>;
