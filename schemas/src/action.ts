/** `action.requested`: an agent says what it is about to do. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { micros } from './money-shapes.ts';
import { count, id, parsedJson, plainId, tenant, time } from './scalars.ts';

/** The user for whom the agent acts. In an action this is a claim of its caller, unless the API key pins it. */
export const principal = z.strictObject({
  id: id.describe('Who it is. A claim of the caller, unless the API key pins it.'),
  role: id.optional().describe('Their role. A claim of the caller, unless the API key pins it.'),
});

const everyAction = {
  id,
  tenant: tenant.optional(),
  agentId: plainId,
  estimatedCostMicros: micros
    .optional()
    .describe(
      'What the caller believes that it costs. A claim: a price that is known counts where it is higher.',
    ),
  idempotencyKey: id
    .optional()
    .describe('A key of the caller. Another action with the same key is a duplicate.'),
  mandateId: id.optional().describe('The grant, or the mandate of the file, under which the agent acts.'),
  parentActionId: id.optional().describe('The action that caused this one.'),
  principal: principal.optional().describe('The user for whom the agent acts.'),
  context: z
    .record(z.string(), parsedJson)
    .optional()
    .describe(
      'What the caller says that it acts in. Claims, unless the API key pins them: rules that look at them believe them.',
    ),
  attempt: z
    .int()
    .min(1)
    .max(CAPS.attempts)
    .optional()
    .describe('The number of the try of this action. A retry has a higher one. Absent: 1.'),
  requestedAt: time.optional().describe('When the agent asked, by its own clock. It decides nothing.'),
  deadlineMs: z
    .int()
    .min(1)
    .max(CAPS.deadlineMs)
    .optional()
    .describe('How long the request may wait for its decision, in milliseconds from its append to the log.'),
};

export const toolCall = z.strictObject({
  ...everyAction,
  type: z.literal('tool_call').describe('A call of a tool.'),
  tool: plainId.describe('The name of the tool.'),
  args: z.record(z.string(), parsedJson).optional().describe('The arguments of the call.'),
});

export const llmCall = z.strictObject({
  ...everyAction,
  type: z.literal('llm_call').describe('A call of a language model.'),
  provider: plainId.optional().describe('The provider that is called. A claim of the caller.'),
  model: plainId.describe('The name of the model, in any spelling of a provider.'),
  /** All input, cached or not. Leave it out if it is not known, because every call has some input. */
  inputTokens: z.int().min(1).optional(),
  maxOutputTokens: count.optional().describe('The most tokens that the model may write.'),
});

/** Every kind of action: what differs between kinds besides is in action-kinds.ts. */
export const action = z.discriminatedUnion('type', [toolCall, llmCall]);
export type ToolCall = z.infer<typeof toolCall>;
export type LlmCall = z.infer<typeof llmCall>;
export type Action = z.infer<typeof action>;
export type ActionType = Action['type'];

/**
 * Which of the claims that an action makes its API key fixes: `context.environment`, `action.principal`. The gateway says it,
 * beside the record; on a topic that a tenant writes itself everything is a claim.
 */
export type Pinned = {
  /** The fields; rules may look at them as `action.pinned`. */
  readonly pinned: readonly string[];
  /** The public id of the key. */
  readonly pinnedBy: string;
};

/** An action, with what of it is known not to be a claim. */
export type AskedAction = Action & Partial<Pinned>;

/**
 * An action as a decision remembers it, redacted. Unlike a request it may hold fields that this reader does not know:
 * they are left out, so that an older reader lives with a newer writer.
 */
const remembered = {
  principal: z.object(principal.shape).optional(),
  /** The fields that the API key fixed, and which key: all else that the caller said is a claim. */
  pinned: z.array(z.string()).optional(),
  pinnedBy: id.optional(),
};
export const actionSnapshot = z.discriminatedUnion('type', [
  z.object({ ...toolCall.shape, ...remembered }),
  z.object({ ...llmCall.shape, ...remembered }),
]);

export const actionRequested = z
  .strictObject({ event: z.literal('action.requested'), action })
  .meta({ title: 'action.requested', description: 'An agent says what it is about to do.' });
export type ActionRequested = z.infer<typeof actionRequested>;
