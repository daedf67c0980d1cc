/**
 * A decider that rebuilds the ledger is paused just before it appends its epoch record. Redis is emptied, and another
 * decider rebuilds the ledger, decides and commits. Then the first decider's record reaches the log. It must begin no
 * epoch. Every decision stays valid in the ledger, ClickHouse and the gateway, and the ledger is not rebuilt again.
 */
import { TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, emptyRedis, spawnService, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { environmentOf } from '../e2e/distributed/support/server-plane.ts';
import { request } from './support/agents-at-work.ts';
import { anotherBuild } from './support/another-build.ts';
import { PATIENCE_MS, SHORT_SESSION } from './support/breakable-servers.ts';
import { followLog } from './support/follow-log.ts';
import { SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const MANDATES = `
version: 1
id: thrifty
agents: ["*"]
maxCostTotal: 0.50
toolPolicies: { look: { cost: 0.01 } }
`;
const AGENTS = 8;
/** The calls of each agent before and after the late epoch record. Together they are more than the mandate allows. */
const [FIRST_CALLS, LATER_CALLS] = [40, 20];
const [EACH_MICROS, CALL_MICROS] = [500_000, 10_000];

type Answer = { decision: { verdict: string } };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'an overtaken rebuilder', () => {
  test('makes no decision void that was made while the rebuilder was paused', async () => {
    const whole = await wholePlane(MANDATES, { deciders: SMALL_BATCHES });
    const { servers, plane, bus, gateway, recorder, startDecider, expectLawsHold } = whole;
    const log = await followLog(bus);
    const heldUpBuild = await anotherBuild({
      file: 'packages/ledger-log/src/rebuild-ledger.ts',
      from: '  await appendEpoch(',
      to: "  process.stderr.write('held up\\n');\n  process.kill(process.pid, 'SIGSTOP');\n  await appendEpoch(",
    });
    const told = { ...environmentOf(servers), ...plane.data, PORT: '0', ...SHORT_SESSION };
    const heldUp = spawnService('decider', told, [], heldUpBuild);
    await heldUp.says('stderr', (line) => line === 'held up' || undefined);
    await emptyRedis(servers.redis.url);

    const decider = await startDecider();
    let asked = 0;
    const ask = async (calls: number) => {
      const of = (at: number) => ({ id: `act-${at}`, agentId: `agent-${at % AGENTS}`, tool: 'look' });
      const actions = Array.from({ length: calls * AGENTS }, (_, at) => request(of(asked + at)));
      await bus.append(TOPICS.actions, actions);
      asked += actions.length;
    };
    const allDecided = () =>
      waitUntil('a decision for every action', () => log.decisions.size === asked, PATIENCE_MS);
    await ask(FIRST_CALLS);
    await allDecided();
    // A decider that is stopped with SIGTERM commits its decisions before it ends.
    await decider.kill('SIGTERM');
    // On a busy machine, a rebuild may be interrupted and tried again. Each try begins a new epoch.
    const epochs = [...log.epochs];
    const inForce = epochs.at(-1);

    heldUp.process.kill('SIGCONT');
    await waitUntil('the late record', () => log.epochs.size > epochs.length, PATIENCE_MS);
    // The paused decider has missed its Kafka timeout, so it ends. Another decider is started, as a supervisor would
    // do.
    await startDecider();
    // This recorder is stopped, and later two more recorders are started. The first of them learns the epoch from the
    // tables, and the second from the ledger.
    await recorder.kill('SIGTERM');
    const [late] = await Promise.all([whole.startGateway(), whole.startRecorder()]);
    await ask(LATER_CALLS);
    await allDecided();
    for (const [at, each] of [gateway, late].entries()) {
      const action = { id: `asked-${at}`, agentId: 'asked', type: 'tool_call', tool: 'look' };
      const answer = await whole
        .apiOf(each)
        .post<Answer>('/v1/actions', action, { query: { waitMs: 60_000 } });
      expect(answer.decision.verdict).toBe('ALLOW');
    }
    await heldUp.kill('SIGTERM');
    await log.caughtUp();

    expect(log.epochs.size).toBe(epochs.length + 1);
    expect(new Set([...log.decisions.values()].map(({ ledgerEpoch }) => ledgerEpoch))).toEqual(
      new Set([inForce]),
    );
    expect(log.voids()).toBe(0);
    expect(log.contradictions).toEqual([]);
    const allowed = Map.groupBy(log.allowed, ({ agentId }) => agentId);
    allowed.delete('asked');
    expect([...allowed.values()].map((of) => of.length)).toEqual(
      Array(AGENTS).fill(EACH_MICROS / CALL_MICROS),
    );
    await expectLawsHold();
  });
});
