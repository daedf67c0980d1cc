/**
 * Plane mode through the topics of the plane's log. An action goes to the actions topic, its decision comes from the
 * decisions topic, and its outcome goes to the actions topic. If no decision comes in time, the call is blocked.
 */
import type { Bus } from '@mandate/bus';
import {
  type Action,
  type ActionCompleted,
  type ActionRequested,
  agentKey,
  type Decision,
  type Outcome,
  recordHeaders,
} from '@mandate/schemas';
import { Backoff, sleep } from '../backoff.ts';
import { inTime } from '../bounded-wait.ts';
import type { DecisionPoint } from '../decision-point.ts';
import { instanceClosed } from '../errors.ts';
import { OutcomeQueue } from '../outcome-queue.ts';
import { uniqueRequestTime } from '../plane/ask-plane.ts';
import type { OpenThroughKafka } from '../plane/plane-options.ts';
import { Semaphore } from '../semaphore.ts';
import { FollowedDecisions } from './follow-decisions.ts';
import { type KafkaSettings, kafkaLate } from './kafka-options.ts';
import { LoggedKills, onlyByGateway } from './logged-kills.ts';

type Settings = KafkaSettings & {
  /** The topic of actions. */
  topic: string;
};

/**
 * The maximum number of calls that wait for a decision at one time. Further calls wait for a free place, within their
 * time limit.
 */
const MOST_ASKING = 64;
const MOST_WAITING = 10_000;

const REPORT_MS = 10_000;

/** The pauses between two tries to open the reader again. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

type Opened = { bus: Bus; decisions: FollowedDecisions };

export function logPoint(
  { tenant, timeoutMs, open, topic }: Settings,
  { readAction, addMandate, onError }: Parameters<OpenThroughKafka>[0],
): DecisionPoint {
  const kills = new LoggedKills();
  const asking = new Semaphore({ running: MOST_ASKING, waiting: MOST_WAITING });
  const closing = new AbortController();
  let opening: Promise<Opened> | null = null;

  const late = () => kafkaLate(timeoutMs);

  function opened(): Promise<Opened> {
    if (opening !== null) return opening;
    const attempt = connect();
    opening = attempt;
    const forget = () => {
      if (opening === attempt) opening = null;
    };
    attempt.then(({ bus, decisions }) => {
      // A reader that has ended sees no decision and no kill, so a new reader is opened.
      decisions.ended.catch((error: unknown) => {
        forget();
        bus.close().catch(onError);
        if (closing.signal.aborted) return;
        onError(error);
        void reopen();
      });
    }, forget);
    return attempt;
  }

  async function reopen(): Promise<void> {
    const backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    for (;;) {
      await sleep(backoff.nextMs(), closing.signal, { isBackground: true });
      if (closing.signal.aborted) return;
      try {
        await opened();
        return;
      } catch {
        // The end of the reader was already reported. Calls report why they cannot be decided.
      }
    }
  }

  async function connect(): Promise<Opened> {
    const bus = await open();
    const decisions: FollowedDecisions = new FollowedDecisions(tenant, (kill) =>
      kills.tell(kill, (agentId) => decisions.descendantsOf(agentId)),
    );
    try {
      await decisions.start(bus);
    } catch (error) {
      await bus.close();
      throw error;
    }
    return { bus, decisions };
  }

  async function ask(action: Action, untilMs: number): Promise<Decision> {
    const leftMs = () => Math.max(1, untilMs - performance.now());
    const { bus, decisions } = await inTime(leftMs(), opened(), late);
    const { decision, forget } = decisions.decisionOf(action);
    try {
      const record: ActionRequested = { event: 'action.requested', action };
      // If the Kafka client sends a record again, the copy has the same ids, so the copy is a duplicate.
      await inTime(leftMs(), bus.append(topic, [outgoingOf(tenant, record)]), late);
      return await inTime(leftMs(), decision, late);
    } finally {
      forget();
    }
  }

  const outcomes = new OutcomeQueue<Outcome>(
    {
      name: `the topic ${topic}`,
      closed: closing.signal,
      async take(batch) {
        const records = batch.map((outcome) =>
          outgoingOf(tenant, { event: 'action.completed', outcome: { ...outcome, tenant } }),
        );
        const append = async () => (await opened()).bus.append(topic, records);
        await inTime(Math.min(REPORT_MS, timeoutMs), append(), late);
        return { kind: 'taken' };
      },
    },
    onError,
  );

  return {
    readAction,
    addMandate,
    kills,
    decide(record) {
      const untilMs = performance.now() + timeoutMs;
      const { agentId } = record.action;
      return asking.run(untilMs, async () => {
        // Outcomes have the key of their agent, so they are settled before a later action is decided.
        await outcomes.delivered(agentId, untilMs - performance.now());
        const deadlineMs = Math.max(1, Math.ceil(untilMs - performance.now()));
        if (closing.signal.aborted) throw instanceClosed();
        return ask({ ...record.action, tenant, requestedAt: uniqueRequestTime(), deadlineMs }, untilMs);
      });
    },
    permits: async (_caller, tools) => tools.map(() => null),
    settle: async (outcome) => outcomes.add(outcome),
    approvals: {
      answered: async () => onlyByGateway("`onDefer: 'wait'`"),
      approve: async () => onlyByGateway('An approval'),
      deny: async () => onlyByGateway('A denial'),
    },
    costOf: async () => onlyByGateway('A cost'),
    callsOf: async () => onlyByGateway('A count of calls'),
    remainingBudgetOf: async () => onlyByGateway('A remaining budget'),
    flush: (waiting) => outcomes.flush(waiting),
    auditCounts: () => outcomes.counts(),
    async close(waiting) {
      await outcomes.flush(waiting);
      closing.abort();
      outcomes.close();
      const last = await opening?.catch(() => null);
      opening = null;
      if (!last) return;
      await inTime(timeoutMs, last.decisions.stop(), late).catch(onError);
      await inTime(timeoutMs, last.bus.close(), late).catch(onError);
    },
  };
}

function outgoingOf(tenant: string, record: ActionRequested | ActionCompleted) {
  const [id, agentId] =
    record.event === 'action.requested'
      ? [record.action.id, record.action.agentId]
      : [record.outcome.actionId, record.outcome.agentId];
  return {
    key: agentKey(tenant, agentId),
    value: JSON.stringify(record),
    headers: recordHeaders({ id, event: record.event }, { source: 'sdk', traceparent: null }),
  };
}
