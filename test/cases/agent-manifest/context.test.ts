/** Plays the cases of the context builder: one test for each function, except for whole builds. */
import {
  asksFollowUp,
  assemble,
  cleanText,
  cutContext,
  readAnswer,
  skipReasonOf,
  warnsOfLowConfidence,
} from '@mandate/context';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contextCases } from './agent-manifest-cases.ts';
import { configOfCase, manifestOfCase, requestOfCase } from './context-shapes.ts';

test.each(contextCases('skip'))('$id: skips for the first reason that applies', ({ given, then }) => {
  const { config, request } = z.object({ config: configOfCase, request: requestOfCase }).parse(given);
  expect({ skip_reason: skipReasonOf(config.enabled !== false, request) }).toEqual(then);
});

test.each(contextCases('answer'))('$id: reads the answer of a model', ({ given, then }) => {
  const { manifest, fault } = readAnswer(z.object({ text: z.string(), stop: z.string() }).parse(given));
  expect(fault === null ? { manifest } : { error: fault }).toEqual(then);
});

test.each(contextCases('clean'))('$id: cleans a text', ({ given, then }) => {
  expect({ text: cleanText(String(given.text)) }).toEqual(then);
});

test.each(contextCases('follow_up'))('$id: recognizes a follow-up question', ({ given, then }) => {
  expect({ followUp: asksFollowUp(String(given.item)) }).toEqual(then);
});

test.each(contextCases('assemble'))(
  '$id: puts the blocks of the manifest into the prompt stack',
  ({ given, then }) => {
    const block = z.object({ p: z.string(), role: z.string(), content: z.string() });
    const shape = z.object({ stack: z.array(block), manifest: manifestOfCase.nullable() });
    const { stack, manifest } = shape.parse(given);
    expect({ stack: assemble(stack, manifest) }).toEqual(then);
  },
);

test.each(contextCases('confidence_gate'))('$id: warns only without facts', ({ given, then }) => {
  const gate = z.enum(['facts', 'question_type']);
  const shape = z.object({ lowConfidence: z.boolean(), manifest: manifestOfCase.nullable(), gate });
  const { lowConfidence, manifest, gate: by } = shape.parse(given);
  expect({ injectWarning: warnsOfLowConfidence(lowConfidence, manifest, by) }).toEqual(then);
});

test.each(contextCases('context_sizes'))('$id: cuts what is sent', ({ given, then }) => {
  const { sent, sizes } = cutContext(z.object({ request: requestOfCase }).parse(given).request);
  const oldest = sent.recent[0]?.content;
  const oldestTurnSent = oldest === undefined ? null : [...oldest].slice(0, 20).join('');
  expect({ sizes, oldestTurnSent }).toEqual(then);
});
