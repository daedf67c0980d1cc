/**
 * A decider for tests, without a log: the batch code, the memory ledger, and a clock that the test controls.
 * Published records are kept as the bytes that the decisions topic would have.
 */

import { type Answer, type AnswerContext, answerBatch, type Incoming } from '@mandate/engine';
import { createMemoryLedger, type MemoryLedger, type MemoryLedgerOptions } from '@mandate/ledger';
import { type MandateOfFile, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { type ManualClock, manualClock } from '@mandate/runtime';
import {
  type ActionDecided,
  type ActionSettled,
  type DecisionsRecord,
  readDecisionsRecord,
  TOPICS,
} from '@mandate/schemas';
import { expect } from 'vitest';

export const START_MS = Date.parse('2026-03-01T12:00:00Z');

export type Box = {
  clock: ManualClock;
  ledger: MemoryLedger;
  context: AnswerContext;
  /**
   * The published records, in order. An answer of kind `published` adds no record, because its record is already on
   * the log.
   */
  published: string[];
  mandates: readonly MandateOfFile[];
  revision: number;
  nextOffset: number;
  /** Replaces the mandates. Each document has the fields of a mandate; `version`, `id` and `agents` have defaults. */
  enforce(documents: readonly object[]): void;
  /** Returns a new record of the actions topic, appended now. */
  append(value: unknown, topic?: string, appendedAtMs?: number): Incoming;
  /**
   * Answers a batch, publishes the answers and confirms them. With `lost`, the answers do not reach the log and are
   * not confirmed.
   */
  answer(batch: readonly Incoming[], lost?: boolean): Promise<readonly Answer[]>;
  /** Appends an operator's record to the log. */
  publish(record: DecisionsRecord): void;
};

export function deciderInABox(
  documents: readonly object[],
  options: Partial<Omit<MemoryLedgerOptions, 'clock'>> & {
    startMs?: number;
    redact?: AnswerContext['redact'];
    deadlines?: boolean;
  } = {},
): Box {
  const { startMs = START_MS, redact = (action) => action, deadlines = true, ...ledgerOptions } = options;
  const clock = manualClock(startMs);
  const ledger = createMemoryLedger({ clock, epoch: 'ep_1', ...ledgerOptions });
  const box: Box = {
    clock,
    ledger,
    context: {
      ledger,
      control: () => mandatesOfFile(box.mandates, box.revision),
      redact,
      clock,
      deadlines,
    },
    published: [],
    mandates: [],
    revision: 0,
    nextOffset: 0,
    enforce(next) {
      box.mandates = mandatesOf(next);
      box.revision += 1;
    },
    append(value, topic = TOPICS.actions, appendedAtMs = clock()) {
      const source = { topic, partition: 0, offset: box.nextOffset++ };
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return { source, appendedAtMs, key: null, value: new TextEncoder().encode(text) };
    },
    async answer(batch, lost = false) {
      const { answers, operations } = await answerBatch(batch, box.context);
      if (lost) return answers;
      for (const answer of answers) {
        if (answer.kind === 'record') box.publish(answer.record);
      }
      await ledger.confirm(ledger.epoch, operations);
      return answers;
    },
    publish(record) {
      const text = JSON.stringify(record);
      expect(
        readDecisionsRecord(new TextEncoder().encode(text)),
        'a reader of the log loses nothing',
      ).toEqual(record);
      box.published.push(text);
    },
  };
  box.enforce(documents);
  return box;
}

export function mandatesOf(documents: readonly object[]): readonly MandateOfFile[] {
  const defaults = { version: 1, id: 'm', agents: ['*'] };
  const loaded = loadMandates(
    documents.map((document) => JSON.stringify({ ...defaults, ...document })).join('\n---\n'),
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.mandates;
}

/** Returns an `action.requested`. By default `agent-1` calls `get_user`. */
export function asking(action: { id: string; [field: string]: unknown }): object {
  const type = action.type ?? 'tool_call';
  const call =
    type === 'tool_call'
      ? { tool: 'get_user' }
      : type !== 'llm_call'
        ? {}
        : { model: 'gpt-4o', provider: 'openai', inputTokens: 1_000, maxOutputTokens: 100 };
  return { event: 'action.requested', action: { agentId: 'agent-1', type, ...call, ...action } };
}

/** Returns an `action.completed` record. By default, `agent-1` reports a success. */
export function reporting(outcome: { actionId: string; [field: string]: unknown }): object {
  return { event: 'action.completed', outcome: { agentId: 'agent-1', status: 'success', ...outcome } };
}

export function decisionOf(answer: Answer | undefined): ActionDecided['decision'] {
  if (answer?.kind !== 'record' || answer.record.event !== 'action.decided') {
    throw new Error(`expected a decision, got ${JSON.stringify(answer)}`);
  }
  return answer.record.decision;
}

export function settlementOf(answer: Answer | undefined): ActionSettled['settlement'] {
  if (answer?.kind !== 'record' || answer.record.event !== 'action.settled') {
    throw new Error(`expected a settlement, got ${JSON.stringify(answer)}`);
  }
  return answer.record.settlement;
}
