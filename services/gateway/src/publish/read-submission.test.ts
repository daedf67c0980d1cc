import { action, actionRequested } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { readSubmission } from './read-submission.ts';

const asked = {
  id: 'act_1',
  agentId: 'tutor',
  type: 'memory_write',
  event: 'message_sent',
  text: { user: 'My name is Mia.' },
};

test.each([
  ['alone', asked],
  ['as a whole record', { event: 'action.requested', action: asked }],
])('reads an action that has a field "event" itself, %s', (_how, body) => {
  const schemas = { record: actionRequested.transform((record) => record.action), bare: action };
  const reading = readSubmission(Buffer.from(JSON.stringify(body)), schemas, 'INVALID_ACTION');
  let step = reading.next();
  while (step.done !== true) step = reading.next();
  expect(step.value).toEqual({ many: false, items: [asked] });
});
