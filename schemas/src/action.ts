/** `action.requested`: an agent says what it is about to do. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { micros } from './money.ts';
import { count, id, parsedJson, plainId, tenant, time } from './scalars.ts';

const principal = z.strictObject({ id, role: id.optional() });

const everyAction = {
  id,
  tenant: tenant.optional(),
  agentId: plainId,
  estimatedCostMicros: micros.optional(),
  idempotencyKey: id.optional(),
  mandateId: id.optional(),
  parentActionId: id.optional(),
  principal: principal.optional(),
  context: z.record(z.string(), parsedJson).optional(),
  attempt: z.int().min(1).max(CAPS.attempts).optional(),
  requestedAt: time.optional(),
  deadlineMs: z.int().min(1).max(CAPS.deadlineMs).optional(),
};

export const toolCall = z.strictObject({
  ...everyAction,
  type: z.literal('tool_call'),
  tool: plainId,
  args: z.record(z.string(), parsedJson).optional(),
});

export const llmCall = z.strictObject({
  ...everyAction,
  type: z.literal('llm_call'),
  provider: plainId.optional(),
  model: plainId,
  inputTokens: count,
  maxOutputTokens: count,
});

export const action = z.discriminatedUnion('type', [toolCall, llmCall]);
export type ToolCall = z.infer<typeof toolCall>;
export type LlmCall = z.infer<typeof llmCall>;
export type Action = z.infer<typeof action>;

/**
 * An action as a decision remembers it, redacted. Unlike a request it may hold fields that this reader does not know:
 * they are left out, so that an older reader lives with a newer writer.
 */
const remembered = { principal: z.object(principal.shape).optional() };
export const actionSnapshot = z.discriminatedUnion('type', [
  z.object({ ...toolCall.shape, ...remembered }),
  z.object({ ...llmCall.shape, ...remembered }),
]);

export const actionRequested = z
  .strictObject({ event: z.literal('action.requested'), action })
  .meta({ title: 'action.requested', description: 'An agent says what it is about to do.' });
export type ActionRequested = z.infer<typeof actionRequested>;
