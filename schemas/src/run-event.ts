/**
 * The events of a run of a workflow. The state of a run is a fold of its events: every runner
 * that reads them goes on with the run at the same place. An event that does not fit the state, such as the end of a
 * step after the run was cancelled, changes nothing.
 */
import { z } from 'zod';
import { described } from './described.ts';
import { count, id, parsedJson, tenant, time } from './scalars.ts';

/** The greatest size of the inputs, of an output and of an answer, as JSON text. */
export const MOST_RUN_JSON_BYTES = 128 * 1024;

const COMMON = {
  runId: described(id, 'The run.', 'run_01kc7d5k0g'),
  tenant: described(tenant, 'The tenant of the run.', 'default'),
  at: described(time, 'When the event was written, on the clock of the runner.'),
};

const attempt = described(count.min(1), 'The attempt of this visit. The first attempt is 1.', 1);
const STEP = {
  ...COMMON,
  step: described(id, 'The key of the step.', 'search'),
  visit: described(count.min(1), 'How often the run has come to this step. The first visit is 1.', 1),
  attempt,
};

const anyJson = (what: string, example: z.input<typeof parsedJson>) => described(parsedJson, what, example);

const kind = <Name extends string>(name: Name) => described(z.literal(name), 'The kind of the event.');

const manifestVersion = z.object({
  id: described(id, 'The id of the manifest.', 'research'),
  version: described(
    count.min(1),
    'The version. The run keeps to it, also after a later version was published.',
    3,
  ),
  hash: described(
    z.string().regex(/^[0-9a-f]{64}$/),
    'The hash of the manifest.',
    '94d3086aa6168e8781a2e430fb3e5db2ae412e19c09c3f900e77eadc28fb6747',
  ),
});

export const runStarted = z
  .object({
    event: kind('run.started'),
    ...COMMON,
    manifest: described(
      manifestVersion.extend({
        id: described(id, 'The id of the manifest. It is also the agent of the run.', 'research'),
      }),
      'The manifest that the run follows.',
    ),
    agentManifests: described(
      z.record(id, manifestVersion).optional(),
      'The manifests of the agents that a graph names, by the ids of these agents. Absent: the run follows no graph.',
      {
        'research.writer': {
          id: 'research',
          version: 3,
          hash: '94d3086aa6168e8781a2e430fb3e5db2ae412e19c09c3f900e77eadc28fb6747',
        },
      },
    ),
    agent: described(
      z.string().nullable(),
      'The agent of a manifest without a workflow. null: the run follows the workflow.',
      null,
    ),
    inputs: anyJson('The inputs of the run, with defaults filled in.', { query: 'tea' }),
    principal: described(
      z
        .object({
          id: described(id, 'The person.', 'ann'),
          role: described(id.optional(), 'The role of the person.', 'analyst'),
        })
        .nullable(),
      'The person for whom the run acts. null: it acts for no person.',
      null,
    ),
    by: described(z.string(), 'The API key that started the run.', 'key:ops-laptop'),
  })
  .meta({ title: 'run.started', description: 'A run of a manifest was started.' });

export const stepBegun = z
  .object({
    event: kind('step.begun'),
    ...STEP,
    inputs: described(
      parsedJson.optional(),
      'What the step is given. Absent for a switch, which reads the state of the run.',
      { query: 'tea' },
    ),
  })
  .meta({
    title: 'step.begun',
    description: 'An attempt of a step began. Nothing was asked or done before.',
  });

export const stepDeferred = z
  .object({
    event: kind('step.deferred'),
    ...STEP,
    what: described(
      z.enum(['step', 'calls']),
      '`step`: the step itself waits, before it does anything. `calls`: calls within the step wait.',
    ),
    waiting: described(
      z
        .array(
          z.object({
            approvalId: described(z.string(), 'The question that a person answers.', 'apv_WyJyZXNlYXJjaCJd'),
            agentId: described(id, 'The agent that asked.', 'research'),
            actionId: described(id, 'The action that waits.', 'run_01kc7d5k0g:search:1'),
            isExpired: described(
              z.literal(true).optional(),
              'A person had approved the action, but the approval expired before it was used. A person must approve it again. Absent: no.',
              true,
            ),
          }),
        )
        .min(1),
      'What waits for a person. The step goes on after the first answer.',
    ),
  })
  .meta({ title: 'step.deferred', description: 'The step waits for a person.' });

export const stepGranted = z
  .object({ event: kind('step.granted'), ...STEP })
  .meta({ title: 'step.granted', description: 'A person has answered, and the step goes on.' });

const CALL = {
  ...STEP,
  agentId: described(id, 'The agent that calls.', 'research.researcher'),
  actionId: described(
    id,
    'The action of the call. It ends with m1 for the first call of a model in this visit, and with t1 for the first call of a tool. If the call is asked again after a person has retried the run, it ends with t1~1.',
    'run_01kc7d5k0g:search:1:t1',
  ),
};

export const callBegun = z
  .object({
    event: kind('call.begun'),
    ...CALL,
    call: described(
      z.discriminatedUnion('type', [
        z.object({
          type: described(z.literal('model'), 'A model is called.'),
          provider: described(z.string(), 'The provider.', 'openai'),
          model: described(z.string(), 'The model.', 'gpt-4'),
          inputTokens: described(count, 'The tokens of the input, as they were estimated.', 1_200),
          maxOutputTokens: described(count, 'The most tokens that the model may write.', 800),
        }),
        z.object({
          type: described(z.literal('tool'), 'A tool is called.'),
          tool: described(z.string(), 'The name of the tool in Mandate.', 'search'),
        }),
      ]),
      'What is called.',
    ),
    repeatable: described(
      z.boolean(),
      'False: if the answer never comes, a person must say what became of the call. True: the runner looks whether the call may be made again.',
      false,
    ),
  })
  .meta({
    title: 'call.begun',
    description: 'A model or a tool is about to be called. It is not decided yet.',
  });

const toolCallOfModel = z.object({
  tool: described(z.string(), 'The tool. A name in Mandate, if the name is known.', 'search'),
  args: described(
    z.record(z.string(), parsedJson).nullable(),
    'The arguments. null: the model wrote no JSON object.',
    { query: 'tea' },
  ),
  loadsSkill: described(
    z.literal(true).optional(),
    'The call loads a skill of the manifest, so it is no action. Absent: it calls a tool.',
    true,
  ),
});

const callAnswer = z.discriminatedUnion('type', [
  z.object({
    type: described(z.literal('model'), 'A model has answered.'),
    text: described(z.string(), 'Its text.', 'I will search.'),
    toolCalls: described(z.array(toolCallOfModel), 'The tools that it wants to call.'),
    stop: described(z.enum(['end', 'tools', 'length', 'refusal']), 'Why the model stopped.'),
  }),
  z.object({
    type: described(z.literal('tool'), 'A tool has answered.'),
    text: described(z.string(), 'Its result.', 'three pages'),
    isError: described(z.boolean(), 'True if the tool says that it failed.', false),
  }),
  z.object({
    type: described(z.literal('refused'), 'Mandate refused the call.'),
    code: described(z.string(), 'Why.', 'TOOL_NOT_ALLOWED'),
    text: described(z.string(), 'What the model is told.', 'The tool is not allowed.'),
  }),
  z.object({
    type: described(z.literal('failed'), 'The call failed, and had no result.'),
    code: described(z.string(), 'Why.', 'MODEL_UNAVAILABLE'),
    message: described(z.string(), 'Why, in words.', 'The provider answered 503.'),
  }),
]);

const tokens = (what: string, example: number) => described(count, what, example);

const callOutcome = z.object({
  status: described(z.enum(['success', 'failure', 'cancelled']), 'What was reported to Mandate.'),
  actualCostMicros: described(count.optional(), 'The cost, in micro-dollars. Absent: it is unknown.', 4_100),
  usage: described(
    z
      .object({
        inputTokens: tokens('All input tokens.', 1_200),
        cachedInputTokens: tokens('The input tokens that were cached.', 0).optional(),
        cacheWriteTokens: tokens('The tokens that were written to a cache.', 0).optional(),
        outputTokens: tokens('All output tokens.', 80),
        reasoningTokens: tokens('The output tokens of reasoning.', 0).optional(),
      })
      .optional(),
    'The tokens that the provider billed. Absent: unknown, or no call of a model.',
  ),
});

export const callCompleted = z
  .object({
    event: kind('call.completed'),
    ...CALL,
    actionAttempt: described(
      count.min(1).nullable(),
      'The attempt of the action, as Mandate counts it. null: the call was never decided.',
      1,
    ),
    answer: described(
      callAnswer,
      'What came back. A call that has an answer is never made again. A refused call is asked again, as another action, after a person has retried the run.',
    ),
    outcome: described(
      callOutcome.nullable(),
      'What was reported to Mandate. null: the call was refused, so there is nothing to report.',
    ),
  })
  .meta({ title: 'call.completed', description: 'A call of a model or a tool has come back.' });

export const stepResumed = z
  .object({ event: kind('step.resumed'), ...STEP })
  .meta({ title: 'step.resumed', description: 'Another runner goes on with the step after a crash.' });

const UNCERTAIN = {
  agentId: described(
    id.nullable(),
    'The agent that made the call. null: the step as a whole is meant.',
    'research.researcher',
  ),
  actionId: described(
    id.nullable(),
    'The action of the call. null: the step as a whole is meant.',
    'run_01kc7d5k0g:search:1:t1',
  ),
};

export const stepUncertain = z
  .object({
    event: kind('step.uncertain'),
    ...STEP,
    ...UNCERTAIN,
    tool: described(z.string().nullable(), 'The tool of the call. null: the step as a whole.', 'send_money'),
  })
  .meta({
    title: 'step.uncertain',
    description: 'It is unknown whether a tool had its effect. The run waits until a person says so.',
  });

export const stepResolved = z
  .object({
    event: kind('step.resolved'),
    ...STEP,
    done: described(z.boolean(), 'True if the effect happened.', true),
    output: described(
      parsedJson.optional(),
      'What the call, or the step, would have answered. Only if it was done.',
      { paid: true },
    ),
    by: described(z.string(), 'The API key of the person who said so.', 'key:ops-laptop'),
  })
  .meta({ title: 'step.resolved', description: 'A person said what became of an uncertain call.' });

export const stepFailed = z
  .object({
    event: kind('step.failed'),
    ...STEP,
    code: described(z.string(), 'Why: a code of a decision, or one of the run.', 'RATE_LIMIT_EXCEEDED'),
    reason: described(z.string(), 'Why, in words.', 'The agent made 60 calls in a minute.'),
    retryable: described(z.boolean(), 'True if another attempt may succeed.', true),
    retryAfterMs: described(count.nullable(), 'How long the next attempt must wait at least.', null),
  })
  .meta({ title: 'step.failed', description: 'An attempt of a step failed.' });

export const stepRetrying = z
  .object({
    event: kind('step.retrying'),
    ...STEP,
    delayMs: described(count, 'How long the next attempt waits.', 1_000),
  })
  .meta({ title: 'step.retrying', description: 'Another attempt will follow. `attempt` is the next one.' });

export const stepCompleted = z
  .object({
    event: kind('step.completed'),
    ...STEP,
    output: described(parsedJson.optional(), 'The output of the step. Absent for a switch.', { pages: 3 }),
    next: described(id.nullable(), 'The next step. null: the run ends.', 'summarize'),
  })
  .meta({ title: 'step.completed', description: 'A step is done.' });

export const runCompleted = z
  .object({
    event: kind('run.completed'),
    ...COMMON,
    outputs: anyJson('The outputs of the run.', { summary: 'Tea is a drink.' }),
  })
  .meta({ title: 'run.completed', description: 'A run is done.' });

export const runFailed = z
  .object({
    event: kind('run.failed'),
    ...COMMON,
    code: described(z.string(), 'Why.', 'RETRIES_EXHAUSTED'),
    reason: described(z.string(), 'Why, in words.', 'The step failed 4 times.'),
    step: described(id.nullable(), 'The step at which it failed. null: after the last step.', 'search'),
  })
  .meta({ title: 'run.failed', description: 'A run has failed.' });

export const runRetried = z
  .object({
    event: kind('run.retried'),
    ...COMMON,
    by: described(z.string(), 'The API key of the person who asked.', 'key:ops-laptop'),
  })
  .meta({
    title: 'run.retried',
    description: 'A person lets a failed run go on at the step that failed, with new attempts.',
  });

export const runCancelled = z
  .object({
    event: kind('run.cancelled'),
    ...COMMON,
    by: described(z.string(), 'The API key of the person who cancelled it.', 'key:ops-laptop'),
    reason: described(z.string(), 'Why, in words.', 'wrong inputs'),
  })
  .meta({ title: 'run.cancelled', description: 'A person cancelled the run.' });

export const RUN_EVENTS = {
  'run.started': runStarted,
  'step.begun': stepBegun,
  'step.deferred': stepDeferred,
  'step.granted': stepGranted,
  'call.begun': callBegun,
  'call.completed': callCompleted,
  'step.resumed': stepResumed,
  'step.uncertain': stepUncertain,
  'step.resolved': stepResolved,
  'step.failed': stepFailed,
  'step.retrying': stepRetrying,
  'step.completed': stepCompleted,
  'run.completed': runCompleted,
  'run.failed': runFailed,
  'run.retried': runRetried,
  'run.cancelled': runCancelled,
} as const;

const runEvent = z.discriminatedUnion('event', [
  runStarted,
  stepBegun,
  stepDeferred,
  stepGranted,
  callBegun,
  callCompleted,
  stepResumed,
  stepUncertain,
  stepResolved,
  stepFailed,
  stepRetrying,
  stepCompleted,
  runCompleted,
  runFailed,
  runRetried,
  runCancelled,
]);
export type RunEvent = z.infer<typeof runEvent>;
export type RunEventOf<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a record of the topic of runs. Throws on any other content. */
export function readRunEvent(value: Uint8Array): RunEvent {
  return runEvent.parse(JSON.parse(utf8.decode(value)));
}
