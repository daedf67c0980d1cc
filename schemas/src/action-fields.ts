/** The fields that every action has. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { micros } from './money-shapes.ts';
import { id, parsedJson, plainId, tenant, time } from './scalars.ts';

/** Who chose the value of a field: a model, the user by their own hand, or the program around the model. */
export const ORIGINS = ['model', 'user', 'system'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The user for whom the agent acts. The caller claims it, unless the API key pins it. */
export const principal = z.strictObject({
  id: described(id, 'The id of the user. The caller claims it, unless the API key pins it.', 'u1'),
  role: described(
    id.optional(),
    'The role of the user. The caller claims it, unless the API key pins it.',
    'user',
  ),
});

/** The fields of every kind of action. */
export const everyAction = {
  id: described(
    id,
    'The id of the action. The agent chooses it, and uses it for one action only.',
    'act_7f3a',
  ),
  tenant: described(
    tenant.optional(),
    'The tenant of the action. Default: the tenant of the API key.',
    'default',
  ),
  agentId: described(plainId, 'The agent that acts.', 'airline-007'),
  estimatedCostMicros: described(
    micros.optional(),
    'What the caller believes that the action costs, in micro-dollars. The caller claims it: a higher known price counts instead.',
    100_000,
  ),
  idempotencyKey: described(
    id.optional(),
    'A key of the caller. Another action with the same key is a duplicate.',
    'cert-mia_li_3668-1',
  ),
  mandateId: described(
    id.optional(),
    'The grant, or the mandate of the file, under which the agent acts.',
    'support-bot',
  ),
  parentActionId: described(id.optional(), 'The action that caused this one.', 'act_7f00'),
  principal: described(principal.optional(), 'The user for whom the agent acts.'),
  context: described(
    z.record(z.string(), parsedJson).optional(),
    'What the caller says about the situation of the action. The caller claims each field, unless the API key pins it. Rules believe it.',
    { environment: 'prod' },
  ),
  attempt: described(
    z.int().min(1).max(CAPS.attempts).optional(),
    'The number of the attempt, from 1. A retry has a higher number. Default: 1.',
    1,
  ),
  requestedAt: described(time.optional(), 'When the agent asked, by its own clock. It decides nothing.'),
  deadlineMs: described(
    z.int().min(1).max(CAPS.deadlineMs).optional(),
    'How long the request may wait for its decision, in milliseconds from its append to the log.',
    5_000,
  ),
  turnId: described(
    id.optional(),
    'The id of the prompt that opened the turn in which the agent acts.',
    'act_7e00',
  ),
  origins: described(
    z.record(z.string(), z.enum(ORIGINS)).optional(),
    'Who chose a field, by the name of the field. Without an entry, a choice counts as a choice of the model.',
    { 'hints.save': 'user' },
  ),
};
