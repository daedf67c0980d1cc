import {
  eventOfAnswer,
  type PersonsAnswer,
  type PlayedStep,
  planOfDocument,
  playRun,
} from '@mandate/agent-manifest';
import { type Json, parsedJson, type RunEvent } from '@mandate/schemas';
import { graphRecipeDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

type Scripted = { output: Json } | { person: PersonsAnswer };
const output = (value: Json): Scripted => ({ output: value });
const person = (answer: PersonsAnswer): Scripted => ({ person: answer });

const scripted = z.union([
  z.strictObject({ ok: parsedJson }).transform(({ ok }) => output(ok)),
  z.strictObject({ answer: parsedJson }).transform(({ answer }) => output(answer)),
  z
    .strictObject({ score: parsedJson, feedback: parsedJson.optional() })
    .transform((judged) => output(judged as Json)),
  z.strictObject({ denied: z.literal(true) }).transform(() => person('denied')),
  z.strictObject({ timeout: z.literal(true) }).transform(() => person('late')),
]);

const given = z.strictObject({
  manifest: graphRecipeDocument,
  inputs: z.record(z.string(), parsedJson),
  script: z.record(z.string(), z.array(scripted)),
});

const DEFERRED: PlayedStep = {
  result: { deferred: { what: 'step', waiting: [{ approvalId: 'apv_1', agentId: 'g', actionId: 'x' }] } },
};

test.each(agentManifestCases('walk'))('$id: walks through the nodes', (line) => {
  const { manifest, inputs, script } = given.parse(line.given);
  const plan = planOfDocument(manifest, null);
  if (plan === null) throw new Error('a graph always has a plan');
  const events: RunEvent[] = [];
  let answer: PersonsAnswer | null = null;
  const run = playRun(
    plan,
    {
      event: 'run.started',
      ...{ runId: 'run_1', tenant: 'default', at: '2026-01-05T09:30:41.000Z' },
      manifest: { id: 'g', version: 1, hash: '0'.repeat(64) },
      ...{ agent: null, inputs, principal: null, by: 'key:test' },
    },
    {
      onEvent: (event) => events.push(event),
      perform({ step }) {
        const result = script[step]?.shift();
        if (result === undefined) throw new Error(`the script has no result for ${step}`);
        if ('output' in result) return { result };
        answer = result.person;
        return DEFERRED;
      },
      answer: (waiting) =>
        answer === null || waiting.for !== 'approval'
          ? null
          : { events: [eventOfAnswer(plan, waiting.deferred, answer)] },
    },
  );
  const { status, ended, state } = run;
  const board = { ...inputs, ...Object.fromEntries(state) };
  const code = status === 'failed' ? { code: ended?.code } : {};
  expect({ status, ...code, path: pathOf(events), board }).toEqual(line.then);
});

/** The nodes in the order of their visits. A node whose inputs are missing fails before it begins. */
function pathOf(events: readonly RunEvent[]): string[] {
  let begun: string | null = null;
  return events.flatMap((event) => {
    if (event.event !== 'step.begun' && event.event !== 'step.failed') return [];
    const place = JSON.stringify([event.step, event.visit]);
    if (begun === place) return [];
    begun = place;
    return [event.step];
  });
}
