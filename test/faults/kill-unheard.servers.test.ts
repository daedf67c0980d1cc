/**
 * The kill switch with the Pub/Sub broadcast and without it. Deciders and gateways read the flag itself, so the
 * promises are the same. Without the broadcast, listeners receive a kill only when the broadcast is back.
 */
import type { Bus } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, startFaultProxy, startRedis, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Api, decisionsBy, serverPlane } from '../e2e/distributed/support/server-plane.ts';
import { listenToKills } from '../e2e/support/kill-events.ts';
import { request } from './support/agents-at-work.ts';
import { anotherBuild } from './support/another-build.ts';
import { openTestLog, PATIENCE_MS, startBreakable } from './support/breakable-servers.ts';
import { type FollowedLog, followLog } from './support/follow-log.ts';

const DEADLINE_MS = 3_600_000;
/**
 * The change for another build, which does not repeat the flags on its streams. If a stream of this build stays open,
 * the repeated flags are not the reason.
 */
const REPEATS_NO_FLAGS = {
  file: 'services/gateway/src/routes/stream-kills.ts',
  from: 'setInterval(trySendFlags,',
  to: "setInterval(() => send('alive', {}),",
};

type Receipt = { sequences: Record<string, number>; open: { actionId: string }[] };
type Answer = { actionId: string; withheld: boolean; decision: { verdict: string; code: string } };

describeWithOwnServers(['kafka', 'redis'], 'a kill during heavy traffic, with Pub/Sub and without it', () => {
  test('no ALLOW is after the kill, none is handed out after it, the answer names each late ALLOW, and listeners receive the kill', async () => {
    const build = await anotherBuild(REPEATS_NO_FLAGS);
    const servers = await startBreakable(() => startRedis({ appendonly: true }));
    const proxy = await startFaultProxy(servers.redis.port, 'subscribe');
    onTestFinished(() => proxy[Symbol.dispose]());
    const throughIt = { MANDATE_REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
    const plane = serverPlane(servers, 'version: 1\nid: all\nagents: ["*"]\n');
    const bus = await openTestLog(servers);
    const [gateway, heldUp, other, ...deciders] = await Promise.all([
      plane.start('gateway', throughIt),
      plane.start('gateway', throughIt),
      plane.start('gateway', throughIt, build),
      plane.start('decider'),
      plane.start('decider'),
    ]);
    const key = await plane.issueKey('default');
    const api = plane.api(gateway.url, key);
    const log = await followLog(bus);
    const asked = await followAsked(bus);
    const signalDeciders = (signal: NodeJS.Signals) => {
      for (const { process } of deciders) process.kill(signal);
    };
    const areAllowed = (actions: readonly { id: string }[]) => () =>
      actions.every(({ id }) => log.decisions.get(id)?.verdict === 'ALLOW');

    /**
     * Pauses a gateway before it hands out answers. The decisions are on the log before the kill, and the gateway has
     * not read them yet.
     */
    const answersHeldUp = async (round: string) => {
      signalDeciders('SIGSTOP');
      const actions = Array.from({ length: 20 }, (_, at) => look(`${round}-held-${at}`, `held-${at}`));
      const answers = plane
        .api(heldUp.url, key)
        .post<{ results: Answer[] }>('/v1/actions', actions, { query: { waitMs: 60_000 } });
      await waitUntil('them to be asked', () => actions.every(({ id }) => asked.has(id)), PATIENCE_MS);
      heldUp.process.kill('SIGSTOP');
      signalDeciders('SIGCONT');
      await waitUntil('them to be allowed', areAllowed(actions), PATIENCE_MS);
      return async () => {
        heldUp.process.kill('SIGCONT');
        return (await answers).results;
      };
    };

    const killInFullFlight = async (round: string) => {
      const agents = [api, plane.api(other.url, key)].map((at, which) => agentsAsk(at, `${round}-${which}`));
      const publishing = publishAllAlong(bus, { log, asked }, round);
      const before = await Promise.all(deciders.map(decisionsBy));
      await waitUntil(
        'all to be at work',
        async () => {
          const counts = await Promise.all(deciders.map(decisionsBy));
          return (
            counts.every((count, at) => count > (before[at] ?? 0)) && agents.every((each) => each.isAllowed())
          );
        },
        PATIENCE_MS,
      );
      const handOver = await answersHeldUp(round);
      const { events, flags } = await listen();

      const { sequences, open } = await api.post<Receipt>('/v1/kill', {
        scope: 'tenant',
        reason: 'it loops',
      });
      for (const each of agents) each.killed();
      const handedOver = await handOver();
      expect(handedOver).toHaveLength(20);
      for (const answer of handedOver)
        expect(answer).toMatchObject({
          withheld: true,
          decision: { verdict: 'BLOCK', code: 'AGENT_KILLED' },
        });

      const landed = async () => {
        await publishing.stop();
        const answered = (await Promise.all(agents.map((each) => each.stop()))).flat();
        await waitUntil('all to be decided', () => log.decisions.size === asked.size, PATIENCE_MS);
        await log.caughtUp();
        const killedAt = sequences.default ?? 0;
        const named = new Set(open.map(({ actionId }) => actionId));
        expect(log.allowed.filter(({ ledgerSequence }) => ledgerSequence > killedAt)).toEqual([]);
        expect(new Set(log.allowed.map(({ actionId }) => actionId))).toEqual(named);
        expect(log.contradictions).toEqual([]);
        const allowed = answered.filter(({ decision }) => decision.verdict === 'ALLOW');
        expect(allowed.filter(({ isAskedAfter }) => isAskedAfter)).toEqual([]);
        expect(allowed.filter(({ actionId }) => !named.has(actionId))).toEqual([]);
      };
      return { events, flags, landed };
    };
    const listen = async () => {
      const stream = await listenToKills(other.url, key);
      onTestFinished(stream.leave);
      // The flags are sent at the start of the answer, and again when the stream listens. After the second time, no
      // older event can arrive.
      const flags = () => stream.events.filter(({ event }) => event === 'flags');
      await waitUntil('the flags twice', () => flags().length > 1);
      return { events: stream.events, flags };
    };
    const revive = async (round: string) => {
      await api.post('/v1/revive', { scope: 'tenant' });
      const actions = Array.from({ length: 100 }, (_, at) => look(`${round}-revived-${at}`, `agent-${at}`));
      await bus.append(TOPICS.actions, actions.map(request));
      await waitUntil('them to be allowed again', areAllowed(actions), PATIENCE_MS);
    };

    const heard = await killInFullFlight('heard');
    await waitUntil('the listener to hear it', () => heard.events.some(({ event }) => event === 'killed'));
    await heard.landed();
    await revive('heard');

    proxy.cut();
    const unheard = await killInFullFlight('unheard');
    const untold = { event: 'flags', data: { killed: [] } };
    expect(unheard.events.filter(({ event }) => event !== 'alive')).toEqual([untold, untold]);
    proxy.restore();
    await waitUntil('the listener to be told', () => unheard.flags().length > 2, PATIENCE_MS);
    const told = { event: 'flags', data: { killed: [{ target: { scope: 'tenant', tenant: 'default' } }] } };
    expect(unheard.flags()[2]).toMatchObject(told);
    expect(proxy.cuts).toBeGreaterThanOrEqual(3);
    await unheard.landed();
    await revive('unheard');
    await waitUntil('the revive to be heard', () => unheard.events.some(({ event }) => event === 'revived'));
  });
});

function look(id: string, agentId: string) {
  return { id, agentId, type: 'tool_call', tool: 'look', deadlineMs: DEADLINE_MS };
}

/** Collects the ids of all actions that reach the log. */
async function followAsked(bus: Bus): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const reader = await bus.read({
    topics: [TOPICS.actions],
    from: 'earliest',
    onRecords(records) {
      for (const { value } of records) {
        const { action } = JSON.parse(Buffer.from(value).toString()) as { action: { id: string } };
        ids.add(action.id);
      }
    },
  });
  onTestFinished(() => reader.stop());
  return ids;
}

/** Appends actions until it is stopped, so that the deciders always have work. */
function publishAllAlong(
  bus: Bus,
  { log, asked }: { log: FollowedLog; asked: ReadonlySet<string> },
  round: string,
) {
  let isOn = true;
  const done = (async () => {
    for (let number = 0; isOn; number += 50) {
      const actions = Array.from({ length: 50 }, (_, at) =>
        look(`${round}-${number + at}`, `agent-${(number + at) % 50}`),
      );
      await bus.append(TOPICS.actions, actions.map(request));
      await waitUntil('them to be read', () => asked.has(`${round}-${number + 49}`), PATIENCE_MS);
      await waitUntil('room', () => !isOn || asked.size - log.decisions.size < 300, PATIENCE_MS);
    }
  })();
  // An error is not lost: `stop` returns this promise, and every test awaits `stop`.
  done.catch(() => {});
  return {
    stop() {
      isOn = false;
      return done;
    },
  };
}

/**
 * Starts ten agents. Each sends actions to a gateway, one after the other, and waits for each answer. After the kill,
 * each sends one more action.
 */
function agentsAsk(api: Api, name: string) {
  const answers: (Answer & { isAskedAfter: boolean })[] = [];
  let isKilled = false;
  let isOn = true;
  const agent = async (at: number) => {
    for (let number = 0, isAskedAfter = false; isOn || !isAskedAfter; number += 1) {
      isAskedAfter = isKilled;
      const action = look(`${name}-${at}-${number}`, `asking-${at}`);
      const answer = await api.post<Answer>('/v1/actions', action, { query: { waitMs: 60_000 } });
      answers.push({ ...answer, isAskedAfter });
    }
  };
  const done = Promise.all(Array.from({ length: 10 }, (_, at) => agent(at)));
  // The error is not lost: `stop` returns this promise too.
  done.catch(() => {});
  return {
    isAllowed: () => answers.some(({ decision }) => decision.verdict === 'ALLOW'),
    killed() {
      isKilled = true;
    },
    async stop() {
      isOn = false;
      await done;
      return answers;
    },
  };
}
