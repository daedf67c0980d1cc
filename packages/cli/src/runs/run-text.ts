/** A run and its events, in the form in which commands print them. */
import type { RunEvent } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';

/** A run in a list, as GET /v1/runs returns it. */
export type ListedRun = {
  id: string;
  manifest: { id: string; hash: string };
  agent: string | null;
  principal: { id: string } | null;
  by: string;
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  startedAt: string;
  updatedAt: string;
};

/** A run, as GET /v1/runs/{id} returns it. */
export type Run = ListedRun & {
  inputs: unknown;
  outputs: unknown;
  failure: { code: string; reason: string; step: string | null } | null;
  waiting:
    | { for: 'approval'; step: string; approvals: readonly { approvalId: string; agentId: string }[] }
    | { for: 'resolution'; step: string; tool: string | null; actionId: string | null }
    | null;
  current: { step: string; visit: number; attempt: number; phase: string; retryAt: string | null } | null;
  steps: Readonly<Record<string, { visits: number; output?: unknown }>>;
  /** How many events the run has. The last event has this number. */
  events: number;
};

export function runText(run: Run, stdout: Output): string {
  const { id, manifest, agent, startedAt, by, current, steps, waiting, failure, outputs } = run;
  const place = current === null ? '' : ` at ${current.step}, attempt ${current.attempt}: ${current.phase}`;
  const lines = [
    `${id} of ${manifest.id}${agent === null ? '' : `, agent ${agent}`} (${manifest.hash.slice(0, 12)})`,
    `started ${startedAt} by ${by}`,
    `${run.status}${place}`,
    `inputs ${JSON.stringify(run.inputs)}`,
    ...Object.entries(steps).map(
      ([step, { visits, output }]) =>
        `  ${step}${visits > 1 ? ` (${visits} visits)` : ''}${output === undefined ? '' : `: ${JSON.stringify(output)}`}`,
    ),
    ...waitingLines(run.id, waiting),
    ...(failure === null
      ? []
      : [`${failure.code}${failure.step === null ? '' : ` at ${failure.step}`}: ${failure.reason}`]),
    ...(run.status === 'completed' ? [`outputs ${JSON.stringify(outputs)}`] : []),
  ].map(printable);
  const [title = '', ...others] = lines;
  return [paint('bold', title, stdout), ...others].map((line) => `${line}\n`).join('');
}

/** What a person must do so that the run continues. */
export function waitingLines(id: string, waiting: Run['waiting']): string[] {
  if (waiting === null) return [];
  if (waiting.for === 'approval') {
    const questions = waiting.approvals.flatMap(({ approvalId, agentId }) => [
      `waits for a person: ${agentId} asks at the step ${waiting.step}`,
      `  mandate approvals show ${approvalId}`,
      `  mandate approvals approve ${approvalId}`,
      `  mandate approvals deny ${approvalId}`,
    ]);
    return [...questions, 'then follow the run', `  mandate runs resume ${id}`];
  }
  const what = waiting.tool === null ? 'the step' : `a call of ${waiting.tool}`;
  return [
    `it is unknown whether ${what} was done at the step ${waiting.step}: look, then say so`,
    `  mandate runs resolve ${id} ${waiting.step} --done '{"…": "…"}'`,
    `  mandate runs resolve ${id} ${waiting.step} --not-done`,
    'then follow the run',
    `  mandate runs resume ${id}`,
  ];
}

export function eventLine(event: RunEvent): string {
  return printable(`${event.at.slice(11, 19)}  ${event.event.padEnd(14)}  ${detail(event)}`.trimEnd());
}

function detail(event: RunEvent): string {
  const place = 'step' in event && 'attempt' in event ? placeOf(event) : '';
  switch (event.event) {
    case 'run.started':
      return `${event.manifest.id} ${JSON.stringify(event.inputs)}`;
    case 'run.completed':
      return JSON.stringify(event.outputs);
    case 'run.failed':
      return `${event.code}: ${event.reason}`;
    case 'run.cancelled':
      return event.reason;
    case 'run.retried':
      return `by ${event.by}`;
    case 'step.failed':
      return `${place}  ${event.code}: ${event.reason}`;
    case 'step.retrying':
      return `${place}  in ${event.delayMs} ms`;
    case 'step.completed':
      return `${place}  ${event.output === undefined ? '' : JSON.stringify(event.output)}${event.next === null ? '' : ` → ${event.next}`}`;
    case 'step.uncertain':
      return `${place}  ${event.tool ?? ''}`;
    case 'step.deferred':
      return `${place}  ${event.waiting.map(({ agentId }) => agentId).join(', ')}`;
    case 'step.granted':
      // The answer of a person about a call may be no: then the call is completed with APPROVAL_DENIED.
      return `${place}  a person has answered`;
    case 'call.begun':
      return `${place}  ${event.agentId} ${event.call.type === 'tool' ? event.call.tool : event.call.model}`;
    case 'call.completed':
      return `${place}  ${event.agentId} ${event.answer.type}${'code' in event.answer ? `: ${event.answer.code}` : ''}`;
    default:
      return place;
  }
}

function placeOf({ step, visit, attempt }: { step: string; visit: number; attempt: number }): string {
  const again = visit > 1 ? ` visit ${visit}` : '';
  return `${step}${again}${attempt > 1 ? ` attempt ${attempt}` : ''}`;
}
