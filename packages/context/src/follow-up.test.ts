import { expect, test } from 'vitest';
import { asksFollowUp } from './follow-up.ts';

test.each([
  'Ask them about work',
  'Ask Ann how the move went',
  'Ask the user whether she has time',
  'Consider asking about Graz',
  'Ask one open question',
  'Follow up on the exam',
  'Finish by following up on the trip',
  'Probe gently for the reason',
  'Inquire about his health',
  'Encourage them to share a memory',
  'Invite Tom to tell the story',
  'Close with an open question',
  'Say "would you like to hear more"',
  'Ինչպե՞ս ես',
  'Do not lecture. Check in on Tom.',
  'Never mind the dog! Ask how he is',
  'Instead of advice, ask how she feels',
  'Skip the small talk and ask about the dog',
])('recognizes a follow-up question: %s', (item) => {
  expect(asksFollowUp(item)).toBe(true);
});

test.each([
  'Do not ask them about work',
  "Don't follow up",
  'Answer without asking how she is',
  'Avoid any follow-up question',
  'Refrain from asking about the divorce',
  'Answer rather than ask a question',
  'Skip the follow-up',
  'Name the task and the basket',
  'Mention that she asked about Graz',
  'The question is answered by her age',
  'Invite no one',
  'The problem is solved',
  'He follows the news',
  'End with her name',
  'Answer the inquiry about Graz',
  '',
])('recognizes that this is not a follow-up question: %s', (item) => {
  expect(asksFollowUp(item)).toBe(false);
});

test('reads a long text quickly', () => {
  for (const word of ['ask a ', 'ask ', 'end with a ', 'invite ', 'not ', "'"]) {
    const began = performance.now();
    asksFollowUp(word.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(1_000);
  }
});
