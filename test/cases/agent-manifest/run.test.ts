import {
  applyEvent,
  type EventDraft,
  goOnPlaying,
  inputsOfRun,
  type PlayedStep,
  type Players,
  playRun,
  type RunPlan,
  stateOfRun,
  takeOver,
  workflowOf,
  workflowPlan,
} from '@mandate/agent-manifest';
import type { Json, RunEvent, RunEventOf } from '@mandate/schemas';
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { describe, expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

/** What the script of a case says of one attempt of a step. */
type Scripted = {
  ok?: Json;
  ballots?: Record<string, Json>;
  error?: 'transient' | 'permanent' | 'uncertain';
  resolve?: { done: boolean; output?: Json };
  block?: string;
  hard?: boolean;
  retryAfterMs?: number;
  defer?: 'granted' | 'denied' | 'expired' | 'waiting';
  waitedMs?: number;
  crash?: 'none' | 'llm' | 'tool_readonly' | 'tool';
  then?: Scripted;
  cancel?: boolean;
  durationMs?: number;
};

const cases = agentManifestCases('run');

describe('a run of a case', () => {
  test.each(cases)('$id: has the events and the end that were computed', ({ given, then }) => {
    const played = play(given);
    expect(played === 'refused' ? [] : played.seen).toEqual(then.events);
    expect(played === 'refused' ? { status: 'refused', code: 'INPUT_INVALID' } : played.end).toEqual(
      endOf(then),
    );
  });

  test.each(cases)('$id: goes on with the same events after any of its events', ({ given }) => {
    const played = play(given);
    if (played === 'refused') return;
    for (let cut = 1; cut < played.events.length; cut += 1) {
      // Within the begin of a switch nothing was done, so the events after it are decided again.
      const again = goOn(given, played.events.slice(0, cut));
      expect(again.map(comparable)).toEqual(played.events.slice(cut).map(comparable));
    }
  });
});

function comparable({ at: _, ...event }: RunEvent): object {
  return event;
}

function endOf({ events: _, ...end }: Record<string, unknown>): object {
  return end;
}

type Given = Record<string, unknown>;

function planOf(given: Given): { manifest: AgentManifest; plan: RunPlan } {
  const manifest = agentManifestDocument.parse(given.manifest);
  const workflow = workflowOf(manifest, null);
  if (workflow === null) throw new Error('the manifest has no workflow');
  return { manifest, plan: workflowPlan(manifest, workflow) };
}

function play(given: Given) {
  const { manifest, plan } = planOf(given);
  const read = inputsOfRun(manifest, given.inputs as Json);
  if ('failed' in read) return 'refused';
  const events: RunEvent[] = [];
  const started: RunEventOf<'run.started'> = {
    event: 'run.started',
    runId: 'run_1',
    tenant: 'default',
    at: '2026-01-05T09:30:41.000Z',
    manifest: { id: 'm', version: 1, hash: '0'.repeat(64) },
    agent: null,
    inputs: read.inputs,
    principal: null,
    by: 'key:test',
  };
  const run = playRun(
    plan,
    started,
    playersOf(scriptOf(given), (event) => events.push(event)),
  );
  const { status, ended, current, outputs } = run;
  const isWaiting = status === 'running';
  const end = {
    status: isWaiting ? 'waiting' : status,
    ...(isWaiting && { for: current?.phase === 'deferred' ? 'approval' : 'resolution' }),
    ...(status === 'completed' && { outputs }),
    ...(status === 'failed' && ended !== null && { code: ended.code }),
    ...(status === 'failed' && ended !== null && ended.step !== null && { step: ended.step }),
  };
  return { events, seen: events.map(seen).filter((event) => event !== null), end };
}

function goOn(given: Given, before: readonly RunEvent[]): readonly RunEvent[] {
  const { plan } = planOf(given);
  const run = stateOfRun(plan, before);
  if (run === null) throw new Error('the run has not started');
  const events: RunEvent[] = [];
  // A runner that died within a call: another runner takes the run over.
  const taken = before.at(-1)?.event === 'call.begun' ? takeOver(run) : null;
  if (taken !== null) {
    const { runId, tenant, at } = run.started;
    const event = { ...taken, runId, tenant, at } as RunEvent;
    applyEvent(run, event, plan.absorb);
    events.push(event);
  }
  goOnPlaying(plan, run, { ...playersAfter(given, before), onEvent: (event) => events.push(event) });
  return events;
}

type Script = Map<string, Scripted[]>;

function scriptOf(given: Given): Script {
  return new Map(Object.entries(structuredClone(given.script) as Record<string, Scripted[]>));
}

/** Returns the players with what is left of the script after the events: what they record has happened. */
function playersAfter(given: Given, before: readonly RunEvent[]): Players {
  const players = playersOf(scriptOf(given), () => {});
  const { plan } = planOf(given);
  const waitingFor = { do: 'wait', for: 'resolution' } as const;
  let run = null as ReturnType<typeof stateOfRun>;
  for (const [at, event] of before.entries()) {
    run = stateOfRun(plan, before.slice(0, at));
    const current = run?.current;
    if (!run || !current) continue;
    const isOfPerson = event.event === 'step.granted' || event.event === 'step.resolved';
    if (isOfPerson) players.answer?.(waitingFor, run);
    const isResult =
      event.event === 'step.deferred' ||
      (event.event === 'step.uncertain' && before[at - 1]?.event !== 'call.begun') ||
      event.event === 'call.begun' ||
      (event.event === 'step.resumed' && before[at - 1]?.event !== 'call.begun') ||
      (event.event === 'step.completed' && current.phase === 'performing') ||
      (event.event === 'step.failed' && current.phase === 'performing') ||
      event.event === 'run.cancelled';
    if (isResult && plan.kindOf(current.step) !== 'switch') players.perform(current, run);
  }
  return players;
}

function playersOf(script: Script, onEvent: (event: RunEvent) => void): Players {
  let expected: Scripted | undefined;
  return {
    onEvent,
    perform({ step, visit, attempt }) {
      const scripted = script.get(step)?.shift();
      if (scripted === undefined) throw new Error(`the script of ${step} has ended`);
      if (scripted.then !== undefined) script.get(step)?.unshift(scripted.then);
      expected = scripted;
      return played(scripted, { step, visit, attempt });
    },
    answer(_waiting, run) {
      const { current } = run;
      if (current === null) throw new Error('nothing waits');
      const { step, visit, attempt } = current;
      const place = { step, visit, attempt };
      const scripted = expected ?? ({} as Scripted);
      const { waitedMs = 0 } = scripted;
      const refused = (code: string, retryable: boolean): EventDraft => ({
        ...{ event: 'step.failed', ...place, code, reason: 'a person', retryable, retryAfterMs: null },
      });
      if (scripted.resolve !== undefined)
        return { events: [{ event: 'step.resolved', ...place, ...scripted.resolve, by: 'key:test' }] };
      if (scripted.defer === 'granted') return { events: [{ event: 'step.granted', ...place }], waitedMs };
      if (scripted.defer === 'denied') return { events: [refused('APPROVAL_DENIED', false)], waitedMs };
      if (scripted.defer === 'expired') return { events: [refused('APPROVAL_EXPIRED', true)], waitedMs };
      return null;
    },
  };
}

function played(scripted: Scripted, place: { step: string; visit: number; attempt: number }): PlayedStep {
  const durationMs = scripted.durationMs ?? 0;
  const failed = (code: string, retryable: boolean, retryAfterMs: number | null = null) => ({
    durationMs,
    result: { failure: { code, reason: 'the script', retryable, retryAfterMs } },
  });
  if (scripted.cancel) return { result: { cancelled: 'the script' } };
  if (scripted.ballots !== undefined) return { durationMs, result: { ballots: scripted.ballots } };
  if (scripted.error === 'uncertain')
    return { durationMs, result: { uncertain: { agentId: null, actionId: null, tool: null } } };
  if (scripted.error !== undefined) return failed('STEP_FAILED', scripted.error === 'transient');
  if (scripted.block !== undefined)
    return failed(scripted.block, scripted.hard === false, scripted.retryAfterMs ?? null);
  if (scripted.defer !== undefined) {
    const waiting = [{ approvalId: 'apv_1', agentId: 'm', actionId: 'a' }];
    return { durationMs, result: { deferred: { what: 'step', waiting } } };
  }
  if (scripted.crash !== undefined) {
    const call = scripted.crash === 'none' ? [] : [callBegun(place, scripted.crash)];
    return { events: call, durationMs, result: 'crash' };
  }
  return { durationMs, result: { output: scripted.ok ?? null } };
}

function callBegun(
  place: { step: string; visit: number; attempt: number },
  crash: 'llm' | 'tool_readonly' | 'tool',
): EventDraft {
  return {
    event: 'call.begun',
    ...place,
    agentId: 'm.w',
    actionId: 'run_1:a:1:t1',
    call:
      crash === 'llm'
        ? { type: 'model', provider: 'p', model: 'x', inputTokens: 1, maxOutputTokens: 1 }
        : { type: 'tool', tool: 'x' },
    repeatable: crash !== 'tool',
  };
}

/** Returns the event with the fields that the cases compare. */
function seen(event: RunEvent): object | null {
  const { event: name } = event;
  if (name === 'call.begun' || name === 'call.completed') return null;
  const fields = ['event', 'step', 'visit', 'attempt', 'inputs', 'output', 'next', 'code', 'delayMs', 'done'];
  const kept = Object.entries(event).filter(
    ([key, value]) =>
      fields.includes(key) &&
      !(name === 'run.started' && key === 'inputs') &&
      !(name === 'step.resolved' && key === 'output') &&
      !((key === 'next' || key === 'step') && value === null),
  );
  return Object.fromEntries(kept);
}
