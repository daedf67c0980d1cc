/** The part of an answer to a write that lists what the written document newly permits. */
import { described } from '@mandate/schemas';
import { z } from 'zod';

export const widens = described(
  z.array(z.string()).nullable(),
  'What the change newly allows, one sentence for each difference. Empty: nothing. null: the same change was made before, under its Idempotency-Key.',
  ['the tool "send_mail" is no longer denied'],
);
