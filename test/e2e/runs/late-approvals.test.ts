/** Persons answer while there is no runner. The plane and its runner come back later, some approvals have expired. */
import { waitUntil } from '@mandate/testing';
import { beforeAll, expect, test } from 'vitest';
import { PAYS, REFUND, type RunPlane, type ShownRun, startRunPlane } from './run-plane.ts';

let plane: RunPlane;
const runs = { approved: '', ofCall: '', ofStep: '' };

beforeAll(async () => {
  // One step at a time is enough, because a run that waits for a person performs none.
  plane = await startRunPlane({ script: PAYS, env: { MANDATE_RUNNER_MAX_STEPS: '1' } });
  await plane.publish(REFUND, { maxCostTotal: 5 });
  await plane.publish(
    { ...REFUND, metadata: { ...REFUND.metadata, name: 'asked' }, policy: { human_in_the_loop: true } },
    { maxCostTotal: 5 },
  );
  for (const [name, manifest] of [
    ['approved', 'refund'],
    ['ofCall', 'refund'],
    ['ofStep', 'asked'],
  ] as const)
    runs[name] = await plane.run(manifest, { customer: 'Ada' });
  for (const id of Object.values(runs)) await plane.until(id, 'waiting');
  await plane.crash();
  await plane.restart({ MANDATE_PLANE_PERFORM_RUNS: 'false' });
  await plane.approve(await plane.until(runs.approved, 'waiting'));
  for (const id of [runs.ofCall, runs.ofStep]) await approveBriefly(await plane.until(id, 'waiting'));
  await plane.crash();
  await plane.restart();
  return () => plane.stop();
});

const paysOf = (run: string) => plane.effects().filter((line) => line.startsWith(`pay ${run}:`));

/** Approves what the run waits for. Resolves when the approval has expired. */
async function approveBriefly({ waiting }: ShownRun): Promise<void> {
  if (waiting?.for !== 'approval') throw new Error('the run waits for no approval');
  for (const { approvalId } of waiting.approvals) {
    const body = { reason: 'looked at it', expiresInMs: 1_000 };
    await plane.api().post(`/v1/approvals/${approvalId}/approve`, body);
    await waitUntil('the approval has expired', async () => {
      const { state } = await plane.api().get<{ state: string }>(`/v1/approvals/${approvalId}/answer`);
      return state === 'expired';
    });
  }
}

/** Waits until the run knows that the approval expired, and waits for another one. */
function untilAskedAgain(id: string): Promise<ShownRun> {
  return waitUntil(`the run ${id} asks again`, async () => {
    const run = await plane.show(id);
    return run.waiting?.for === 'approval' && run.waiting.approvals[0]?.isExpired === true ? run : null;
  });
}

test('an approval that came while there was no runner lets the run go on after the restart', async () => {
  expect((await plane.until(runs.approved, 'completed')).outputs).toEqual({ summary: 'Ada was paid.' });
  expect(paysOf(runs.approved)).toHaveLength(1);
});

test('a call whose approval expired is asked again, and is made once after another approval', async () => {
  const again = await untilAskedAgain(runs.ofCall);
  expect(paysOf(runs.ofCall)).toEqual([]);
  await plane.approve(again);
  await plane.until(runs.ofCall, 'completed');
  expect(paysOf(runs.ofCall)).toEqual([`pay ${runs.ofCall}:refund:1:t2`]);
});

test('a step whose approval expired is asked again, and begins after another approval', async () => {
  const again = await untilAskedAgain(runs.ofStep);
  expect(await plane.decisions({ agent: 'asked.clerk' })).toEqual([]);
  await plane.approve(again);
  // The payment asks a person too, and so does the second step.
  await waitUntil('the run is completed', async () => {
    const run = await plane.show(runs.ofStep);
    if (run.waiting !== null) await plane.approve(run).catch(() => {});
    return run.status === 'completed';
  });
  expect(paysOf(runs.ofStep)).toHaveLength(1);
});
