/** The shapes of what the cases of the context builder are given. */
import { z } from 'zod';

export const configOfCase = z.strictObject({
  enabled: z.boolean().optional(),
  timeoutMs: z.number().optional(),
});

export const requestOfCase = z.strictObject({
  message: z.string().optional(),
  relationship: z.string().optional(),
  profile: z.string().optional(),
  recent: z.array(z.strictObject({ role: z.string(), content: z.string() })).optional(),
  channel: z.strictObject({ scratchpad_template: z.string().optional() }).optional(),
  clarificationTurn: z.boolean().optional(),
});

export const manifestOfCase = z.strictObject({
  focus: z.string(),
  question_type: z.enum([
    'relationship_identity',
    'emotional_support',
    'factual_profile',
    'presence_check',
    'task_request',
    'casual',
    'general',
  ]),
  context_early: z.array(z.string()),
  context_reinforce: z.array(z.string()),
  answer_guidance: z.array(z.string()),
});
