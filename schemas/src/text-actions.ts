/** The kinds of action about texts: what a user asks of an agent, and what the agent answers. */
import { z } from 'zod';
import { everyAction } from './action-fields.ts';
import { described } from './described.ts';

export const prompt = z.strictObject({
  ...everyAction,
  type: described(
    z.literal('prompt'),
    'A user asks something of an agent. If it is allowed, it opens a turn.',
  ),
  text: described(z.string(), 'What the user says, unchanged.', 'make flashcards about food'),
});

export const output = z.strictObject({
  ...everyAction,
  type: described(z.literal('output'), 'An agent is about to answer its user.'),
  text: described(z.string(), 'The answer, unchanged.', 'Here are five flashcards.'),
});
