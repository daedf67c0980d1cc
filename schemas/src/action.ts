/** `action.requested`: an agent states the action that it is about to execute. */
import { z } from 'zod';
import { everyAction, principal } from './action-fields.ts';
import { described } from './described.ts';
import { memoryOperation, memoryRead, memoryWrite } from './memory-actions.ts';
import { RISK_LEVELS } from './risk.ts';
import { count, id, parsedJson, plainId } from './scalars.ts';
import { output, prompt } from './text-actions.ts';

export { principal };

/** What the server of a tool says about the tool. The words are those of MCP. */
export const toolHints = z.strictObject({
  readOnly: described(z.boolean().optional(), 'The tool changes nothing.', false),
  destructive: described(z.boolean().optional(), 'The tool may destroy something.', true),
  idempotent: described(z.boolean().optional(), 'A repeated call has no further effect.', false),
  openWorld: described(z.boolean().optional(), 'The tool reaches an open world, such as the web.', true),
});
export type ToolHints = z.infer<typeof toolHints>;

export const toolCall = z.strictObject({
  ...everyAction,
  type: described(z.literal('tool_call'), 'A call of a tool.'),
  tool: described(plainId, 'The name of the tool.', 'send_certificate'),
  args: described(z.record(z.string(), parsedJson).optional(), 'The arguments of the call.', {
    user_id: 'mia_li_3668',
    amount: 50,
  }),
  hints: described(
    toolHints.optional(),
    'What the server of the tool says about it. The caller claims it. If no policy says whether a person must approve calls of the tool, a destructive tool needs an approval.',
    { destructive: true },
  ),
  risk: described(
    z.enum(RISK_LEVELS).optional(),
    'The risk of the tool. The caller claims it, and the MCP proxy derives it from the hints. Rules can read it. It decides nothing by itself.',
    'critical',
  ),
});

export const llmCall = z.strictObject({
  ...everyAction,
  type: described(z.literal('llm_call'), 'A call of a language model.'),
  provider: described(plainId.optional(), 'The provider that is called. The caller claims it.', 'anthropic'),
  model: described(plainId, 'The name of the model, in any spelling of a provider.', 'claude-sonnet-4-5'),
  inputTokens: described(
    z.int().min(1).optional(),
    'All input tokens, cached or not. Absent if the caller does not know the number.',
    1_200,
  ),
  maxOutputTokens: described(count.optional(), 'The maximum number of tokens that the model may write.', 800),
});

/** Every kind of action. action-kinds.ts contains everything else that differs between kinds. */
export const action = z.discriminatedUnion('type', [
  toolCall,
  llmCall,
  prompt,
  memoryRead,
  memoryWrite,
  output,
  memoryOperation,
]);
export type ToolCall = z.infer<typeof toolCall>;
export type LlmCall = z.infer<typeof llmCall>;
export type Prompt = z.infer<typeof prompt>;
export type MemoryRead = z.infer<typeof memoryRead>;
export type MemoryWrite = z.infer<typeof memoryWrite>;
export type Output = z.infer<typeof output>;
export type MemoryOperation = z.infer<typeof memoryOperation>;
export type Action = z.infer<typeof action>;
export type ActionType = Action['type'];

/**
 * The fields of an action that its API key fixes: `context.environment`, `action.principal`. The gateway writes them
 * into the headers of the record. On a topic that a tenant writes itself, no field is fixed, so every field is a
 * claim.
 */
export type Pinned = {
  /** The names of the fixed fields. Rules can read this list as `action.pinned`. */
  readonly pinned: readonly string[];
  /** The public id of the API key. */
  readonly pinnedBy: string;
};

/** An action, with the names of its pinned fields. */
export type AskedAction = Action & Partial<Pinned>;

/**
 * A redacted action in a decision. It may contain unknown fields, which readers leave out. So an older reader can
 * read the records of a newer writer. A request may not contain unknown fields.
 */
const remembered = {
  principal: described(z.object(principal.shape).optional(), 'The user for whom the agent acts.'),
  pinned: described(
    z.array(z.string()).optional(),
    'The fields that the API key fixed. Everything else in the action is a claim of the caller.',
    ['context.environment'],
  ),
  pinnedBy: described(id.optional(), 'The id of the API key that fixed these fields.', '7dQ1xYb0aKpL'),
};
/** A text is left out if its redaction failed, so it may be absent. */
const maybe = <Text extends z.ZodType>(text: Text) => text.optional() as unknown as Text;

export const actionSnapshot = z.discriminatedUnion('type', [
  z.object({ ...toolCall.shape, ...remembered }),
  z.object({ ...llmCall.shape, ...remembered }),
  z.object({ ...prompt.shape, ...remembered, text: maybe(prompt.shape.text) }),
  z.object({ ...memoryRead.shape, ...remembered }),
  z.object({ ...memoryWrite.shape, ...remembered, text: maybe(memoryWrite.shape.text) }),
  z.object({ ...output.shape, ...remembered, text: maybe(output.shape.text) }),
  z.object({ ...memoryOperation.shape, ...remembered }),
]);

export const actionRequested = z
  .strictObject({
    event: described(z.literal('action.requested'), 'The kind of the record.'),
    action: described(action, 'What the agent is about to do.'),
  })
  .meta({ title: 'action.requested', description: 'An agent asks whether it may do an action.' });
export type ActionRequested = z.infer<typeof actionRequested>;
